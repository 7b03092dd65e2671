"""Calls a function that somebody handed in, with tensors of PyTorch.

It reads an order in a line of JSON from standard input, and says in lines of JSON on standard output what came of each
launch (docs/device-protocol.md). What the function prints goes to standard error. Results are the bytes that it leaves
in the memory that it is given: whatever else is said here is not believed.
"""

import importlib.util
import json
import mmap
import os
import sys
import time
import traceback

import torch

TYPES = {
    "bf16": "bfloat16",
    "bool": "bool",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "i8": "int8",
    "u8": "uint8",
}


class Mismatch(Exception):
    """What nobody can hand over here."""


class Wrong(Exception):
    """What a function returned is not what is due."""


class Missing(Exception):
    """What a file does not define."""


def line_of(error, path):
    """The last line of the file that an exception went through."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return own[-1] if own else None


def told(error, path):
    """An exception in words, with the line of the file."""
    if isinstance(error, (Missing, Wrong)):
        return str(error)
    what = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1]
    line = line_of(error, path)
    return f"{os.path.basename(path)}:{line}: {what}" if line else what


class Submission:
    """A file that was handed in, imported."""

    def __init__(self, kernel):
        self.calling = kernel["build"]["call"]
        self.models = {}
        self.tunes = any("autotune" in text for _, text in [*self.calling["modules"], (0, kernel["text"])])
        room = os.environ["TMPDIR"]
        sys.path.insert(0, room)
        for name, text in self.calling["modules"]:
            with open(os.path.join(room, name), "w", encoding="utf-8") as file:
                file.write(text)
        # kernels of Triton are read again, by the lines of their file
        self.path = os.path.join(room, os.path.basename(kernel["path"]))
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(kernel["text"])

    def load(self):
        """What the file defines."""
        if self.tunes:
            tune_without_a_clock()
        spec = importlib.util.spec_from_file_location("submission", self.path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["submission"] = module
        spec.loader.exec_module(module)
        if not hasattr(module, self.calling["entry"]):
            raise Missing(f"it defines no `{self.calling['entry']}`")
        self.entry = getattr(module, self.calling["entry"])

    def call(self, given):
        """Calls it with tensors and numbers by name, and returns what it returns."""
        calling = self.calling
        values = [given[name] for name in calling["pass"]]
        if calling["style"] == "gpumode":
            return self.entry(values[0] if calling["alone"] else tuple(values))
        model = self.model(made(calling["init"], given))
        for name, parameter in self.parameters(model, given):
            if parameter.shape != given[name].shape:
                shapes = f"{tuple(parameter.shape)}, and {tuple(given[name].shape)} is due"
                raise Wrong(f"the module's parameter for `{name}` has the shape {shapes}")
            parameter.data.copy_(given[name])
        return model(*values)

    def parameters(self, model, given):
        """Which parameter of the module takes which tensor: by its name, or the next one of its shape. The benchmark
        knows them by the order in which they are made, whatever they are called."""
        own = {**dict(model.named_parameters()), **dict(model.named_buffers())}
        names = [parameter for _, parameter in self.calling["state"]]
        others = [parameter for name, parameter in model.named_parameters() if name not in names]
        for name, parameter in self.calling["state"]:
            if parameter in own:
                yield name, own[parameter]
                continue
            fitting = [at for at, other in enumerate(others) if other.shape == given[name].shape]
            if not fitting:
                known = ", ".join(f"{name} {tuple(own[name].shape)}" for name in own) or "none"
                due = tuple(given[name].shape)
                raise Wrong(f"the module has no parameter `{parameter}`, nor another {due}; its parameters are: {known}")
            yield name, others.pop(fitting[0])

    def model(self, made_with):
        """The module that is made with these values: one for all calls, as in the benchmark."""
        key = repr(made_with)
        if key not in self.models:
            torch.manual_seed(0)
            self.models[key] = self.entry(*made_with)
        return self.models[key]


def made(init, given):
    """What a module is made with: numbers, sizes and scalars by name, and tuples of them."""
    one = lambda of: given[of] if isinstance(of, str) else tuple(made(of, given)) if isinstance(of, list) else of
    return [one(of) for of in init]


def tensor(buffer, shape):
    """The body of a buffer as a tensor in the memory that was handed over."""
    dtype = getattr(torch, TYPES[buffer["dtype"]], None)
    if dtype is None:
        raise Mismatch(f"this PyTorch has no {buffer['dtype']}")
    count = 1
    for size in shape:
        count *= size
    if not count:
        return torch.empty(shape, dtype=dtype)
    memory = mmap.mmap(buffer["memory"]["descriptor"], buffer["len"])
    return torch.frombuffer(memory, dtype=dtype, count=count, offset=buffer["body"]["start"]).reshape(shape)


def number(word):
    """The value of a word."""
    raw = bytes(word["bytes"])
    if word["dtype"] in ("f32", "f64"):
        return torch.frombuffer(bytearray(raw), dtype=getattr(torch, TYPES[word["dtype"]])).item()
    return int.from_bytes(raw, "little", signed=word["dtype"].startswith("i"))


def run(submission, launch):
    """One launch: what is handed over, the call, and what it returned put where it is due."""
    calling = submission.calling
    given = {}
    for argument in launch["steps"][0]["args"]:
        for word in argument.get("words", []):
            value = number(word)
            given[word["name"]] = bool(value) if word["name"] in calling["truths"] else value
    buffers = {buffer["name"]: buffer for buffer in launch["buffers"]}
    for name, axes in calling["tensors"]:
        if name in buffers:
            given[name] = tensor(buffers[name], [int(axis) if axis.isdigit() else given[axis] for axis in axes])
    with torch.no_grad():
        write(calling, given, submission.call(given))


def write(calling, given, returned):
    """Puts what was returned where it is due. An output that was handed over may be written there instead."""
    outputs = calling["outputs"]
    if returned is None:
        missing = [name for name, buffer in outputs if buffer not in calling["pass"]]
        if missing:
            raise Wrong(f"it returned nothing, and {missing[0]} is due")
        return
    several = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if len(several) != len(outputs):
        raise Wrong(f"it returned {len(several)} tensors, and {len(outputs)} are due")
    for (name, buffer), got in zip(outputs, several):
        due = given[buffer]
        if not isinstance(got, torch.Tensor):
            raise Wrong(f"it returned {type(got).__name__}, and a tensor is due for {name}")
        if got.shape != due.shape:
            raise Wrong(f"it returned {name} of shape {tuple(got.shape)}, and {tuple(due.shape)} is due")
        if got.dtype != due.dtype:
            raise Wrong(f"it returned {name} as {got.dtype}, and {due.dtype} is due")
        if got.data_ptr() != due.data_ptr():
            due.copy_(got)


def failure(error, path):
    """What went wrong in a call."""
    if isinstance(error, Mismatch):
        return {"mismatch": str(error)}
    if isinstance(error, MemoryError):
        return {"out_of_memory": told(error, path)}
    return {"crash": told(error, path)}


def main():
    order = json.loads(sys.stdin.readline())
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(message):
        out.write(json.dumps(message) + "\n")
        out.flush()

    # what took time until now is none of the function's
    say("mark")
    ((work, kernel),) = order["work"].items()
    submission = Submission(kernel)
    try:
        submission.load()
        wrong = None
    except BaseException as error:  # a file may raise anything, and may ask to exit
        wrong = {"compile": {"message": told(error, submission.path), "line": line_of(error, submission.path)}}
    if work == "compile":
        say({"compiled": {"Err": wrong} if wrong else {"Ok": [{"name": submission.calling["entry"]}]}})
        return
    for at, launch in enumerate(order["launches"]):
        started = time.perf_counter_ns()
        try:
            if not wrong:
                run(submission, launch)
            end = {"Err": wrong} if wrong else {"Ok": {"nanoseconds": time.perf_counter_ns() - started}}
        except BaseException as error:
            end = {"Err": failure(error, submission.path)}
        say({"ended": {"launch": at, "end": end}})


install()
with OnProcessor():
    main()
