"""Normalisations, softmax and its relatives, losses."""

import numpy as np

from common import Random, Wide, case, gradients, sigmoid, softmax, wide


def rms_rows(x, eps):
    """Root mean square by rows: the length over sqrt(D), joined with sqrt(eps) as legs of a triangle."""
    length = np.sqrt(np.einsum("rd,rd->r", x, x)) / np.sqrt(Wide(x.shape[1]))
    return np.hypot(length, np.sqrt(Wide(eps)))


def rms_norms():
    for name, plus in [("rmsnorm", 0), ("rmsnorm_gemma", 1)]:
        rand = Random(name)
        for r, d, eps, scale in [(3, 7, 1e-5, 1.0), (1, 33, 0.25, 1.0), (2, 5, 1e-6, 1e-3)]:
            x, w = rand.real(r, d, scale=scale), rand.real(d)
            y = wide(x) * (wide(w) + plus) / rms_rows(wide(x), eps)[:, None]
            case(name, {"R": r, "D": d}, {"eps": eps}, {"x": x, "w": w}, {"y": y})


def add_rmsnorm():
    rand = Random("add_rmsnorm")
    for r, d, eps in [(4, 9, 1e-5), (2, 6, 0.5)]:
        x, res, w = rand.real(r, d), rand.real(r, d), rand.real(d)
        h = wide(x) + wide(res)
        y = h * wide(w) / rms_rows(h, eps)[:, None]
        case("add_rmsnorm", {"R": r, "D": d}, {"eps": eps}, {"x": x, "res": res, "w": w}, {"h": h, "y": y})


def rmsnorm_backward():
    rand = Random("rmsnorm_backward")
    for r, d, eps in [(3, 5, 1e-5), (2, 7, 0.3)]:
        x, w, dy = rand.real(r, d), rand.real(d), rand.real(r, d)

        def forward(x, w):
            return [x * w / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)]

        dx, dw = gradients(forward, [x, w], [dy])
        inputs = {"x": x, "w": w, "dy": dy}
        case("rmsnorm_backward", {"R": r, "D": d}, {"eps": eps}, inputs, {"dx": dx, "dw": dw})


def layernorm():
    rand = Random("layernorm")
    for r, d, eps, shift in [(3, 8, 1e-5, 0.0), (2, 31, 0.1, 5.0), (1, 1, 1e-5, 1.0)]:
        x, w, b = rand.real(r, d) + shift, rand.real(d), rand.real(d)
        wx = wide(x)
        y = (wx - wx.mean(axis=1, keepdims=True)) / np.sqrt(wx.var(axis=1, keepdims=True) + Wide(eps))
        y = y * wide(w) + wide(b)
        case("layernorm", {"R": r, "D": d}, {"eps": eps}, {"x": x, "w": w, "b": b}, {"y": y})


def layernorm_backward():
    rand = Random("layernorm_backward")
    for r, d, eps in [(3, 5, 1e-5), (2, 6, 0.2)]:
        x, w, dy = rand.real(r, d), rand.real(d), rand.real(r, d)

        def forward(x, w, b):
            centred = x - x.mean(axis=1, keepdims=True)
            return [centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + eps) * w + b]

        dx, dw, db = gradients(forward, [x, w, np.zeros(d)], [dy])
        outputs = {"dx": dx, "dw": dw, "db": db}
        case("layernorm_backward", {"R": r, "D": d}, {"eps": eps}, {"x": x, "w": w, "dy": dy}, outputs)


def groupnorm():
    rand = Random("groupnorm")
    for n, c, l, groups, eps in [(2, 6, 5, 3, 1e-5), (3, 4, 7, 1, 0.2), (1, 8, 3, 4, 1e-3)]:
        x, w, b = rand.real(n, c, l) + 1, rand.real(c), rand.real(c)
        y = np.empty((n, c, l), Wide)
        for image in range(n):
            for channels in np.split(np.arange(c), groups):
                part = wide(x[image, channels])
                y[image, channels] = (part - part.mean()) / np.sqrt(part.var() + Wide(eps))
        y = y * wide(w)[:, None] + wide(b)[:, None]
        scalars = {"groups": groups, "eps": eps}
        case("groupnorm", {"N": n, "C": c, "L": l}, scalars, {"x": x, "w": w, "b": b}, {"y": y})


def batchnorm():
    rand = Random("batchnorm")
    for n, c, l, eps in [(2, 3, 5, 1e-5), (3, 4, 1, 0.5)]:
        x, w, b, mu, var = rand.real(n, c, l), rand.real(c), rand.real(c), rand.real(c), rand.positive(c)
        slope = wide(w) / np.sqrt(wide(var) + Wide(eps))
        y = np.einsum("ncl,c->ncl", wide(x), slope) + (wide(b) - slope * wide(mu))[:, None]
        inputs = {"x": x, "w": w, "b": b, "mu": mu, "var": var}
        case("batchnorm", {"N": n, "C": c, "L": l}, {"eps": eps}, inputs, {"y": y})


def l2norm():
    rand = Random("l2norm")
    for r, d, eps in [(3, 6, 1e-6), (2, 5, 10.0)]:
        x = rand.real(r, d)
        x[0] *= 0 if r == 3 else 1
        length = np.sqrt(np.einsum("rd,rd->r", wide(x), wide(x)))
        y = wide(x) / np.where(length > eps, length, Wide(eps))[:, None]
        case("l2norm", {"R": r, "D": d}, {"eps": eps}, {"x": x}, {"y": y})


def softmaxes():
    """Small, large and minus infinite scores."""
    functions = {
        "softmax": softmax,
        "log_softmax": lambda x: -np.log(np.exp(x[:, None, :] - x[:, :, None]).sum(axis=-1)),
        "logsumexp": lambda x: np.logaddexp.reduce(x, axis=-1),
    }
    for name, function in functions.items():
        rand = Random(name)
        for r, d, scale, shift in [(3, 7, 1.0, 0.0), (2, 17, 400.0, 900.0), (4, 1, 1.0, -800.0)]:
            x = rand.real(r, d, scale=scale) + shift
            case(name, {"R": r, "D": d}, {}, {"x": x}, {"y": function(wide(x))})
    x = np.array([[0.5, -np.inf, 2.0, 0.5], [-np.inf, -np.inf, 3.0, -np.inf]])
    case("softmax", {"R": 2, "D": 4}, {}, {"x": x}, {"y": softmax(wide(x))})


def softmax_masked():
    rand = Random("softmax_masked")
    for r, d in [(4, 6), (3, 11)]:
        x, mask = rand.real(r, d, scale=3.0), rand.whole(0, 2, r, d)
        mask[1], mask[2, :], mask[2, 3] = 0, 0, 1
        y = np.zeros((r, d), Wide)
        for row in range(r):
            kept = np.flatnonzero(mask[row])
            if kept.size:
                y[row, kept] = softmax(wide(x[row, kept]))
        case("softmax_masked", {"R": r, "D": d}, {}, {"x": x, "mask": mask}, {"y": y})
    x, mask = np.array([[500.5, 3000.0, 501.25, -500.0]]), np.array([[1, 0, 1, 1]])
    y = np.array([[sigmoid(wide(-0.75)), 0, sigmoid(wide(0.75)), 0]])
    case("softmax_masked", {"R": 1, "D": 4}, {}, {"x": x, "mask": mask}, {"y": y})


def softmax_backward():
    """The Jacobian of each row, diag(y) - y y^T, applied to what arrives."""
    rand = Random("softmax_backward")
    for r, d in [(3, 6), (2, 9)]:
        y = np.round(softmax(rand.real(r, d)), 6)
        dy = rand.real(r, d)
        dx = [(np.diag(wide(row)) - np.outer(wide(row), wide(row))) @ wide(g) for row, g in zip(y, dy)]
        case("softmax_backward", {"R": r, "D": d}, {}, {"y": y, "dy": dy}, {"dx": np.array(dx)})


def cross_entropies():
    rand = Random("cross_entropy")
    for t, v, scale, shift in [(4, 7, 1.0, 0.0), (3, 19, 400.0, 500.0)]:
        x, target = rand.real(t, v, scale=scale) + shift, rand.whole(0, v, t)
        loss = [np.log(np.exp(wide(row) - row[right]).sum()) for row, right in zip(x, target)]
        case("cross_entropy", {"T": t, "V": v}, {}, {"x": x, "target": target}, {"loss": np.array(loss)})
    for t, v, scale, shift in [(3, 5, 1.0, 0.0), (2, 8, 1.0, 800.0), (2, 6, 400.0, 0.0)]:
        x, target, dloss = rand.real(t, v, scale=scale) + shift, rand.whole(0, v, t), rand.real(t)

        def forward(x):
            return [np.log(np.exp(x).sum(axis=1)) - x[np.arange(t), target]]

        (dx,) = gradients(forward, [x], [dloss])
        inputs = {"x": x, "target": target, "dloss": dloss}
        case("cross_entropy_backward", {"T": t, "V": v}, {}, inputs, {"dx": dx})


def make():
    normalisations = [rms_norms, add_rmsnorm, layernorm, groupnorm, batchnorm, l2norm]
    probabilities = [softmaxes, softmax_masked, softmax_backward, cross_entropies]
    for family in [*normalisations, rmsnorm_backward, layernorm_backward, *probabilities]:
        family()
