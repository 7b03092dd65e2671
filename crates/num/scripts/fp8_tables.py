"""Writes tests/golden/e4m3.txt and e5m2.txt with ml_dtypes: the value of every byte, and the byte of every f32 at, and
next to, a point where rounding turns.

python3 scripts/fp8_tables.py   (needs numpy and ml_dtypes)
"""
from pathlib import Path

import ml_dtypes
import numpy as np

GOLDEN = Path(__file__).parent.parent / "tests/golden"

for name, dtype in [("e4m3", ml_dtypes.float8_e4m3fn), ("e5m2", ml_dtypes.float8_e5m2)]:
    values = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float32)
    finite = np.unique(values[np.isfinite(values)])
    beyond = 2 * finite[-1] - finite[-2]  # the next step of the last binade: where overflow is decided
    steps = np.concatenate([[-beyond], finite, [beyond]]).astype(np.float32)
    middles = ((steps[:-1].astype(np.float64) + steps[1:]) / 2).astype(np.float32)
    turns = np.concatenate([middles, steps, np.float32([0, np.inf, -np.inf, 1e30, -1e30, 1e-30, -1e-30, -0.0])])
    up, down = np.nextafter(turns, np.float32(np.inf)), np.nextafter(turns, np.float32(-np.inf))
    inputs = np.concatenate([turns, up, down])
    inputs = np.unique(inputs.view(np.uint32)).view(np.float32)
    inputs = inputs[~np.isnan(inputs)]
    with np.errstate(all="ignore"):
        bytes_ = inputs.astype(dtype).view(np.uint8)
    with open(GOLDEN / f"{name}.txt", "w") as out:
        print("# made by scripts/fp8_tables.py: f32 bits of byte 0, 1, …; then f32 bits and the byte they round to", file=out)
        for v in values.view(np.uint32):
            print(f"{v:08x}", file=out)
        for x, b in zip(inputs.view(np.uint32), bytes_):
            print(f"{x:08x} {b:02x}", file=out)
