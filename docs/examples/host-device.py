#!/usr/bin/env python3
"""A device for ktwin: C kernels, compiled by cc and called through ctypes. See ../device-protocol.md.

    ktwin test kernels/c/silu.c --device ./host-device.py
"""
import ctypes
import json
import mmap
import os
import re
import subprocess
import sys
import tempfile
import time

TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "u32": ctypes.c_uint32, "i32": ctypes.c_int32,
         "u64": ctypes.c_uint64, "i64": ctypes.c_int64}


def say(what, data):
    print(json.dumps({what: data}), flush=True)


def library(kernel):
    """The kernel as a shared library; what the compiler says where it is none."""
    folder = os.path.dirname(os.path.abspath(kernel["path"]))
    path = os.path.join(tempfile.mkdtemp(), "kernel.so")
    defines = [f"-D{name}={value}" for name, value in kernel["build"]["defines"]]
    command = ["cc", "-O2", "-shared", "-fPIC", "-x", "c", "-iquote", folder, *defines, "-", "-o", path, "-lm"]
    done = subprocess.run(command, input=kernel["text"], text=True, capture_output=True)
    return (path, None) if done.returncode == 0 else (None, {"compile": {"message": done.stderr, "line": None}})


def function(loaded, kernel, entry):
    """The entry point; where the contract names none, the only function that is not static."""
    names = re.findall(r"^(?!static)[a-z]\w*[ \*]+(\w+)\(", kernel["text"], re.MULTILINE)
    return getattr(loaded, entry or names[-1])


def value(argument, memory):
    """A pointer to a buffer's body, a number, or several numbers as a struct."""
    if "buffer" in argument:
        return ctypes.c_void_p(memory[argument["buffer"]])
    words = argument["words"]
    fields = [(f"f{i}", TYPES[word["dtype"]]) for i, word in enumerate(words)]
    values = [kind.from_buffer_copy(bytes(word["bytes"])) for (_, kind), word in zip(fields, words)]
    struct = type("Words", (ctypes.Structure,), {"_fields_": fields})
    return values[0] if len(values) == 1 else struct(*values)


def run(launch, loaded, kernel):
    """Calls every step on the memory that was handed over, and says how long it took."""
    files = [open(buffer["memory"]["path"], "r+b") for buffer in launch["buffers"]]
    maps = [mmap.mmap(file.fileno(), buffer["len"]) for file, buffer in zip(files, launch["buffers"])]
    memory = [ctypes.addressof(ctypes.c_char.from_buffer(m)) + buffer["body"]["start"]
              for m, buffer in zip(maps, launch["buffers"])]
    start = time.perf_counter_ns()
    for step in launch["steps"]:
        function(loaded, kernel, step["entry"])(*[value(argument, memory) for argument in step["args"]])
    return {"Ok": {"nanoseconds": time.perf_counter_ns() - start}}


def main():
    order = json.loads(sys.stdin.readline())
    say("ready", [])
    if order["work"] == "describe":
        say("speaks", {"version": 1, "languages": ["c"], "about": "C kernels, called from Python"})
        say("described", {"Ok": {"detail": f"Python {sys.version.split()[0]}", "features": []}})
        return
    (task, kernel), = order["work"].items()
    path, failure = library(kernel)
    if task == "compile":
        names = [{"name": entry} for entry, _ in kernel["build"]["entries"]]
        say("compiled", {"Err": failure} if failure else {"Ok": names})
        return
    loaded = None if failure else ctypes.CDLL(path)
    for number, launch in enumerate(order["launches"]):
        say("ended", {"launch": number, "end": {"Err": failure} if failure else run(launch, loaded, kernel)})


main()
