"""Arrays of any library as NumPy's, and ktwin's types as NumPy's. Knows nothing of ops."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from ._ktwin import KtwinError

Array = npt.NDArray[Any]

_NAMES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "bool": "bool",
}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()} | {"tf32": "float32"}
# DLPack's numbers of devices whose memory the processor reads: its own, and what CUDA and ROCm pin for it
_HOST = (1, 3, 11)


def type_name(dtype: Any, array: str) -> str:
    """ktwin's name of a NumPy type."""
    try:
        return _NAMES[np.dtype(dtype).name]
    except (KeyError, TypeError):
        known = ", ".join(_NAMES)
        raise KtwinError(f"{array}: no kernel stores arrays of type {dtype}; convert it to one of {known}") from None


def dtype_of(name: str) -> np.dtype[Any]:
    """The NumPy type of one of ktwin's; packed formats are bytes."""
    numpy_name = _DTYPES.get(name)
    if numpy_name is None:
        return np.dtype(np.uint8)
    try:
        return np.dtype(numpy_name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        raise KtwinError(f"NumPy has no type {name} of its own: pip install ml_dtypes") from None
    own: np.dtype[Any] = np.dtype(getattr(ml_dtypes, numpy_name))
    return own


def as_numpy(array: Any, name: str) -> Array:
    """The same array as NumPy's, without a copy where its memory can be read."""
    if isinstance(array, np.ma.MaskedArray):
        raise KtwinError(f"{name} is a masked array, and every element counts: give {name}.filled(...) or {name}.data")
    if isinstance(array, np.ndarray):
        return _checked(array, name)
    if not _in_memory(array, name):
        raise KtwinError(f"{name} is on a device: copy it first, {name}.cpu() in PyTorch, {name}.get() in CuPy")
    if getattr(array, "requires_grad", False):
        array = array.detach()
    kind = str(getattr(array, "dtype", ""))
    if kind.startswith("torch.") and ("bfloat16" in kind or "float8" in kind):
        return _checked(_bits_of(array, kind, name), name)
    try:
        if hasattr(array, "__array__") or not hasattr(array, "__dlpack__"):
            return _checked(np.asarray(array), name)
        return _checked(np.from_dlpack(array), name)
    except KtwinError:
        raise
    except Exception as error:
        raise KtwinError(f"{name}: {type(array).__name__} cannot be read as an array: {error}") from error


def _in_memory(array: Any, name: str) -> bool:
    """Whether the processor can read an array, as far as DLPack tells."""
    device = getattr(array, "__dlpack_device__", None)
    try:
        return device is None or int(device()[0]) in _HOST
    except Exception as error:
        raise KtwinError(f"{name}: {type(array).__name__} cannot be read as an array: {error}") from error


def _bits_of(tensor: Any, kind: str, name: str) -> Array:
    """A tensor of a type that NumPy lacks, taken as integers of its size and then for what it is."""
    name_here = _NAMES.get(kind.removeprefix("torch."))
    if name_here is None:
        type_name(kind, name)
    integer = "uint8" if "float8" in kind else "int16"
    torch = sys.modules[type(tensor).__module__.partition(".")[0]]
    bits: Array = np.asarray(tensor.view(getattr(torch, integer)))
    return bits.view(dtype_of(str(name_here)))


def _checked(array: Array, name: str) -> Array:
    if array.dtype == object:
        raise KtwinError(f"{name} is an array of Python objects: give it a type, such as dtype=np.float32")
    type_name(array.dtype, name)
    if array.size == 0:
        raise KtwinError(f"{name} has the shape {array.shape}, and so no elements: there is nothing to judge")
    if not array.dtype.isnative:
        raise KtwinError(
            f"{name} has the byte order of another machine: {name}.astype({name}.dtype.newbyteorder('=')) converts it"
        )
    return array


def given(array: Any, name: str) -> tuple[str, str, tuple[int, ...], bytes]:
    """An array as the module takes it."""
    found = as_numpy(array, name)
    return name, type_name(found.dtype, name), found.shape, found.tobytes()


def from_bytes(raw: bytearray, dtype: str, shape: list[int], strides: tuple[list[int], int]) -> Array:
    """An array that the module made, in its layout. Of packed formats: the bytes, along the last axis."""
    kind = dtype_of(dtype)
    whole: Array = np.frombuffer(raw, dtype=kind)
    if dtype not in _DTYPES:
        return whole.reshape([*shape[:-1], -1])
    each, offset = strides
    return np.lib.stride_tricks.as_strided(whole[offset:], shape, [step * kind.itemsize for step in each])
