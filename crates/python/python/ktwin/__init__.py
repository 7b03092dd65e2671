"""Every compute kernel has a twin on the CPU.

An op's twin says what each element of an output must be, and how far an honest kernel may be off:

>>> import numpy as np, ktwin
>>> x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
>>> w = np.ones(4, dtype=np.float32)
>>> twin = ktwin.twin("rmsnorm", x=x, w=w, eps=1e-5)
>>> twin.value.shape, bool((twin.bar < 1e-5).all())
((3, 4), True)

Arrays that any program computed are judged by it:

>>> y = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + np.float32(1e-5)) * w
>>> ktwin.compare("rmsnorm", out=y, x=x, w=w, eps=1e-5).ok
True
>>> ktwin.compare("rmsnorm", out=-y, x=x, w=w, eps=1e-5).verdict
'fail'

A function is tested as a kernel, by a whole plan of sizes and inputs (`ktwin.kernel`), and so are kernels in files
(`ktwin.test`).
"""

from ._command import Ranking, command, judge, run_job, test
from ._kernel import Case, Kernel, Plan, cases, kernel, plan
from ._ktwin import KtwinError, __version__, ops
from ._report import Report, Reports, TwinAssertionError
from ._twin import Twin, Twins, assert_twin, compare, twin

__all__ = [
    "Case",
    "Kernel",
    "KtwinError",
    "Plan",
    "Ranking",
    "Report",
    "Reports",
    "Twin",
    "TwinAssertionError",
    "Twins",
    "__version__",
    "assert_twin",
    "cases",
    "command",
    "compare",
    "judge",
    "kernel",
    "ops",
    "plan",
    "run_job",
    "test",
    "twin",
]
