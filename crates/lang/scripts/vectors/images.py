"""Convolutions, pools and stencils."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from common import Random, Wide, case, wide


def conv1d():
    """Each pair of channels by np.convolve, whose filters run backwards."""
    rand = Random("conv1d")
    shapes = [(2, 3, 9, 4, 3, 1, 0, 1, 1), (1, 4, 10, 6, 3, 2, 2, 2, 2), (3, 2, 7, 2, 2, 3, 1, 3, 1)]
    for n, c, l, o, k, stride, pad, dilation, groups in shapes:
        i = c // groups
        x, w, b = rand.real(n, c, l), rand.real(o, i, k), rand.real(o)
        padded = np.pad(wide(x), ((0, 0), (0, 0), (pad, pad)))
        spaced = np.zeros((o, i, dilation * (k - 1) + 1), Wide)
        spaced[..., ::dilation] = w
        y = []
        for signal in padded:
            for out in range(o):
                first = out // (o // groups) * i
                parts = [np.convolve(signal[first + j], spaced[out, j, ::-1], "valid") for j in range(i)]
                y.append(sum(parts)[::stride] + b[out])
        y = np.array(y).reshape(n, o, -1)
        dims = {"N": n, "C": c, "L": l, "O": o, "I": i, "K": k, "P": y.shape[2]}
        scalars = {"stride": stride, "pad": pad, "dilation": dilation, "groups": groups}
        case("conv1d", dims, scalars, {"x": x, "w": w, "b": b}, {"y": y})


def slide(x, w, stride, pad, dilation):
    """One group: windows of the padded image against filters spread out with zeros."""
    o, i, kh, kw = w.shape
    spread = np.zeros((o, i, dilation * (kh - 1) + 1, dilation * (kw - 1) + 1), Wide)
    spread[..., ::dilation, ::dilation] = w
    padded = np.pad(wide(x), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = sliding_window_view(padded, spread.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    return np.einsum("ncpqij,ocij->nopq", windows, spread)


def conv2d():
    rand = Random("conv2d")
    shapes = [
        (2, 3, 5, 6, 4, 3, 2, 1, 0, 1, 1),
        (1, 4, 7, 6, 6, 2, 3, 2, 1, 2, 2),
        (2, 3, 4, 5, 3, 3, 1, 1, 2, 1, 3),
    ]
    for n, c, h, w, o, kh, kw, stride, pad, dilation, groups in shapes:
        i = c // groups
        x, f, b = rand.real(n, c, h, w), rand.real(o, i, kh, kw), rand.real(o)
        parts = [
            slide(images, filters, stride, pad, dilation)
            for images, filters in zip(np.split(x, groups, axis=1), np.split(f, groups, axis=0))
        ]
        y = np.concatenate(parts, axis=1) + wide(b)[:, None, None]
        dims = {"N": n, "C": c, "H": h, "W": w, "O": o, "I": i, "KH": kh, "KW": kw}
        dims |= {"P": y.shape[2], "Q": y.shape[3]}
        scalars = {"stride": stride, "pad": pad, "dilation": dilation, "groups": groups}
        case("conv2d", dims, scalars, {"x": x, "w": f, "b": b}, {"y": y})


def depthwise():
    rand = Random("depthwise")
    for n, c, h, w, kh, kw, stride, pad in [(2, 3, 5, 4, 3, 2, 1, 1), (1, 4, 6, 7, 2, 3, 2, 0)]:
        x, f = rand.real(n, c, h, w), rand.real(c, kh, kw)
        channels = [slide(x[:, [j]], f[None, [j]], stride, pad, 1) for j in range(c)]
        y = np.concatenate(channels, axis=1)
        dims = {"N": n, "C": c, "H": h, "W": w, "KH": kh, "KW": kw, "P": y.shape[2], "Q": y.shape[3]}
        case("depthwise", dims, {"stride": stride, "pad": pad}, {"x": x, "w": f}, {"y": y})


def pools():
    rand = Random("pools")
    shapes = [(1, 2, 6, 5, 2, 2, 0), (2, 3, 5, 7, 3, 2, 1), (1, 1, 4, 6, 3, 1, 0)]
    for n, c, h, w, size, stride, pad in shapes:
        x = rand.real(n, c, h, w)
        border = ((0, 0), (0, 0), (pad, pad), (pad, pad))
        scalars = {"size": size, "stride": stride, "pad": pad}
        for name, outside, function in [("max_pool", -np.inf, np.max), ("avg_pool", 0.0, np.mean)]:
            padded = np.pad(wide(x), border, constant_values=outside)
            windows = sliding_window_view(padded, (size, size), axis=(2, 3))[:, :, ::stride, ::stride]
            y = function(windows, axis=(4, 5))
            dims = {"N": n, "C": c, "H": h, "W": w, "P": y.shape[2], "Q": y.shape[3]}
            case(name, dims, scalars, {"x": x}, {"y": y})


def jacobi():
    rand = Random("jacobi")
    for h, w, rate in [(5, 4, 0.8), (3, 7, 0.25), (1, 2, 0.5)]:
        x = rand.real(h, w)
        y = wide(x).copy()
        if h > 2:
            mean = (y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:]) / 4
            y[1:-1, 1:-1] = (1 - Wide(rate)) * y[1:-1, 1:-1] + Wide(rate) * mean
        case("jacobi", {"H": h, "W": w}, {"rate": rate}, {"x": x}, {"y": y})


def make():
    for family in [conv1d, conv2d, depthwise, pools, jacobi]:
        family()
