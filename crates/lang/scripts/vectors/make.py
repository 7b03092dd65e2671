"""Makes crates/lang/tests/vectors/NAME.json for every op: python crates/lang/scripts/vectors/make.py

Needs NumPy alone, on a machine whose longdouble is wider than float64. `--check` writes nothing and says
whether the committed files are what this script makes.
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # no __pycache__ beside the sources

import attention
import bits
import compositions
import draws
import elementwise
import images
import matrices
import movement
import norms
import recurrences
import reductions
import training
from common import CASES

ROOT = Path(__file__).resolve().parents[4]
VECTORS = ROOT / "crates" / "lang" / "tests" / "vectors"


def main():
    if np.finfo(np.longdouble).nmant <= 52:
        sys.exit("this machine's longdouble is no wider than float64")
    families = [norms, matrices, attention, elementwise, movement, reductions, images, training, bits]
    families += [recurrences, draws, compositions]
    for family in families:
        family.make()
    ops = {path.stem for path in (ROOT / "ops").glob("*.op")}
    if ops != set(CASES):
        lacking, idle = sorted(ops - set(CASES)), sorted(set(CASES) - ops)
        sys.exit(f"ops without vectors: {lacking}; vectors without an op: {idle}")
    VECTORS.mkdir(exist_ok=True)
    check = "--check" in sys.argv
    for name, cases in sorted(CASES.items()):
        text = "[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n"
        path = VECTORS / f"{name}.json"
        if not check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path} is not what this script makes")
    print(f"{len(CASES)} ops, {sum(map(len, CASES.values()))} cases")


main()
