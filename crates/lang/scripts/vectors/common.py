"""What every family of vectors shares: inputs, wide arithmetic, derivatives, and the record of a case.

Nothing here, nor in the families, reads the .op files: the vectors are a second opinion on them.
"""

import zlib

import numpy as np

CASES = {}  # op name -> list of cases

Wide = np.longdouble


class Random:
    """Inputs of one op; NumPy's RandomState keeps its streams for ever, its newer generators do not."""

    def __init__(self, name):
        self.state = np.random.RandomState(zlib.crc32(name.encode()))

    def real(self, *shape, scale=1.0):
        """Normal numbers with three decimals, so that the files stay short and readable."""
        return np.round(self.state.standard_normal(shape) * scale, 3)

    def positive(self, *shape):
        return np.round(self.state.uniform(0.1, 3.0, shape), 3)

    def whole(self, low, high, *shape):
        return self.state.randint(low, high, shape)


def case(name, dims, scalars, inputs, outputs):
    """Records one case: sizes, scalars, inputs and what must come out."""
    record = {
        "dims": dims,
        "scalars": scalars,
        "inputs": {key: tensor(value) for key, value in inputs.items()},
        "outputs": {key: tensor(value) for key, value in outputs.items()},
    }
    CASES.setdefault(name, []).append(record)


def tensor(array):
    """Shape and elements, row by row; what JSON has no number for is a string."""
    array = np.asarray(array)
    flat = array.reshape(-1)
    if array.dtype.kind in "iub":
        data = [int(value) for value in flat]
    else:
        data = [number(float(value)) for value in flat.astype(np.float64)]
    return {"shape": list(array.shape), "data": data}


def number(value):
    return value if np.isfinite(value) else repr(value)


def wide(array):
    return np.asarray(array).astype(Wide)


def sigmoid(x):
    """The logistic function, by the hyperbolic cosine."""
    return np.exp(x / 2) / (2 * np.cosh(x / 2))


def gelu(x):
    """gelu (tanh form), by way of 1 + tanh(u) = 2 sigmoid(2u)."""
    u = np.sqrt(2 / wide(np.pi)) * (x + wide("0.044715") * x * x * x)
    return x * sigmoid(2 * u)


def softmax(x):
    """Along the last axis, without subtracting a maximum: extended precision has the range."""
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


def gradients(function, inputs, arriving):
    """What arrives at the outputs of function, carried back to each input, by complex steps.

    f(x + ih) = f(x) + ih f'(x) + O(h^2): the imaginary part holds the derivative without any cancellation.
    function takes and returns lists of arrays and must be analytic.
    """
    step = wide(1e-40)
    out = []
    for at, array in enumerate(inputs):
        gradient = np.zeros(array.shape, Wide)
        for place in np.ndindex(*array.shape):
            moved = [wide(a).astype(np.clongdouble) for a in inputs]
            moved[at][place] += 1j * step
            values = function(*moved)
            gradient[place] = sum((wide(g) * v.imag).sum() for g, v in zip(arriving, values)) / step
        out.append(gradient)
    return out
