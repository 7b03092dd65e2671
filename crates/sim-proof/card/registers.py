"""Runs PTX programs on a card and compares all registers of all threads with the simulator's, bit for bit.

The programs, what they read and what the simulator made of it are written by
`KTWIN_PTX_DIR=FOLDER cargo test -p ktwin-sim --test ptx_random`. This takes CuPy: `python3 registers.py FOLDER`.
"""

import pathlib
import sys

import cupy
import numpy as np

THREADS, STRIDE = 128, 256
NAN = {"f32": 0x7FC00000, "f64": 0x7FF8000000000000, "f16": 0x7E00}


def places():
    """Name, first byte, type and width of everything that a thread stores."""
    out, at = [], 0
    files = [("b64", "d", 0, 4, 8), ("f64", "g", 0, 3, 8), ("b32", "r", 0, 8, 4), ("f16x2", "r", 8, 2, 4), ("f32", "f", 0, 6, 4)]
    for kind, file, first, count, width in files:
        for number in range(first, first + count):
            out.append((f"%{file}{number}", at, kind, width))
            at += width
    for number in range(8):
        out.append((f"%h{number}", at, "b16" if number < 4 else "f16", 2))
        at += 2
    out += [(f"%p{number}", 240 + 4 * number, "b32", 4) for number in range(4)]
    return out + [("the sum in shared memory", 232, "b32", 4)]


def registers(raw):
    """Every register as unsigned numbers; all NaN look the same."""
    threads, out = raw.reshape(THREADS, STRIDE), {}
    for name, at, kind, width in places():
        word = np.ascontiguousarray(threads[:, at : at + width]).view(f"u{width}")[:, 0].copy()
        if kind == "f16x2":
            halves = word.view("u2")
            halves[np.isnan(halves.view("f2"))] = NAN["f16"]
        elif kind in NAN:
            word[np.isnan(word.view(f"f{width}"))] = NAN[kind]
        out[name] = word
    return out


def main():
    same = different = 0
    for program in sorted(pathlib.Path(sys.argv[1]).glob("*.ptx")):
        module = cupy.cuda.function.Module()
        module.load(program.read_bytes())
        given = cupy.asarray(np.fromfile(program.with_suffix(".in"), np.uint8))
        made = cupy.zeros(given.size, cupy.uint8)
        module.get_function("k")((2,), (64,), (given, made))
        card = registers(cupy.asnumpy(made))
        sim = registers(np.fromfile(program.with_suffix(".out"), np.uint8))
        wrong = [name for name in card if (card[name] != sim[name]).any()]
        same, different = same + (not wrong), different + bool(wrong)
        for name in wrong:
            at = int(np.nonzero(card[name] != sim[name])[0][0])
            print(f"{program.name}: {name} of thread {at} is {card[name][at]:#x} on the card, {sim[name][at]:#x} on sim")
    print(f"{same} programs the same, {different} not")
    sys.exit(different > 0)


main()
