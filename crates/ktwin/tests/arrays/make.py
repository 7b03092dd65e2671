"""Makes the files beside it: arrays as NumPy writes them, and files with one fault each.

Element i is i / 4 - 1.
"""

import io
import json
import struct
import zipfile

import ml_dtypes
import numpy as np


def numbers(shape, dtype):
    return (np.arange(np.prod(shape)) / 4 - 1).reshape(shape).astype(dtype)


def whole(shape, dtype):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


x = numbers((3, 4), "<f4")
np.save("f32.npy", x)
np.save("f64_fortran.npy", np.asfortranarray(numbers((2, 3, 4), "<f8")))
np.save("f16_big_endian.npy", numbers((3, 4), ">f2"))
np.save("f64_big_endian_fortran.npy", np.asfortranarray(numbers((3, 4), ">f8")))
np.save("i64.npy", whole((5,), "<i8"))
np.save("i16_big_endian.npy", whole((5,), ">i2"))
np.save("u8.npy", whole((2, 36), "u1"))
np.save("bool.npy", np.array([True, False, True]))
np.save("single.npy", np.float32(0.5))
np.save("empty.npy", np.zeros((0, 3), "<f4"))
np.save("bf16.npy", numbers((3, 4), ml_dtypes.bfloat16))
for version in (2, 3):
    with open(f"version{version}.npy", "wb") as file:
        np.lib.format.write_array(file, x, version=(version, 0))

np.save("bad_objects.npy", np.array([{}, None], dtype=object), allow_pickle=True)
np.save("bad_complex.npy", np.zeros(3, "<c16"))
np.save("bad_text.npy", np.array(["a", "b"]))
np.save("bad_records.npy", np.zeros(3, [("a", "<f4"), ("b", "<i4")]))


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def lying(shape):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return buffer.getvalue() + bytes(64)


open("bad_truncated.npy", "wb").write(npy(x)[:-3])
open("bad_longer.npy", "wb").write(npy(x) + b"!")
open("bad_huge.npy", "wb").write(lying((1 << 40,)))
open("bad_overflow.npy", "wb").write(lying((1 << 40, 1 << 40)))
open("bad_version.npy", "wb").write(npy(x)[:6] + b"\x09" + npy(x)[7:])
open("bad_magic.npy", "wb").write(b"NUMPY" + npy(x))
open("bad_empty.npy", "wb").close()

np.savez("stored.npz", x=x, w=numbers((4,), "<f2"), other=whole((2,), "<i8"))
np.savez_compressed("deflated.npz", x=x, w=np.zeros(4, "<f8"))
np.savez("unrelated.npz", a=x, b=x)
with zipfile.ZipFile("bad_twice.npz", "w") as archive:
    archive.writestr(zipfile.ZipInfo("x.npy"), npy(x))
    archive.writestr(zipfile.ZipInfo("x"), npy(x))
with zipfile.ZipFile("bad_huge.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr(zipfile.ZipInfo("x.npy"), lying((1 << 34,)), zipfile.ZIP_DEFLATED)
stored = open("stored.npz", "rb").read()
open("bad_truncated.npz", "wb").write(stored[:200])
at = stored.index(x.tobytes())
open("bad_checksum.npz", "wb").write(stored[:at] + b"\x01" + stored[at + 1 :])


def safetensors(arrays, path, header=None):
    data, entries = b"", {"__metadata__": {"format": "np"}}
    for name, (dtype, array) in arrays.items():
        place = [len(data), len(data) + array.nbytes]
        entries[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": place}
        data += array.tobytes()
    text = (header or json.dumps(entries)).encode()
    text += b" " * (-len(text) % 8)
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)


arrays = {
    "x": ("F32", x),
    "w": ("BF16", numbers((4,), ml_dtypes.bfloat16)),
    "h": ("F16", numbers((4,), "<f2")),
    "e4": ("F8_E4M3", numbers((4,), ml_dtypes.float8_e4m3fn)),
    "e5": ("F8_E5M2", numbers((4,), ml_dtypes.float8_e5m2)),
    "n": ("I64", whole((5,), "<i8")),
    "t": ("BOOL", np.array([True, False, True])),
}
safetensors(arrays, "model.safetensors")
one = '"x":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]}'
safetensors({"x": ("F32", x[:2])}, "bad_size.safetensors", "{" + one.replace("48", "32") + "}")
safetensors({"x": ("F32", x[:2])}, "bad_end.safetensors", "{" + one + "}")
safetensors({"x": ("F32", x)}, "bad_twice.safetensors", "{" + one + "," + one + "}")
safetensors({"x": ("F32", x)}, "bad_type.safetensors", "{" + one.replace("F32", "C64") + "}")
safetensors({"x": ("F32", x)}, "bad_json.safetensors", "{" + one)
