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


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def gguf(tensors, version=3, alignment=64):
    """A file of tensors: name, shape with the slowest dimension first, ggml's number of the type, bytes."""
    pairs = [
        text("general.architecture") + struct.pack("<I", 8) + text("none"),
        text("general.alignment") + struct.pack("<II", 4, alignment),
        text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("bc"),
        text("scores") + struct.pack("<IIQ3f", 9, 6, 3, 1.0, 2.0, 3.0),
        text("nested") + struct.pack("<IIQ", 9, 9, 1) + struct.pack("<IQ2H", 2, 2, 7, 8),
        text("flag") + struct.pack("<I?", 7, True),
        text("wide") + struct.pack("<Id", 12, 0.5),
    ]
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs)) + b"".join(pairs)
    data = b""
    for name, shape, kind, raw in tensors:
        data += bytes(-len(data) % alignment)
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, len(data))
        data += raw
    return head + bytes(-len(head) % alignment) + data


def q8_0(values):
    """A scale in f16 and 32 bytes: numbers that are whole multiples of their scale."""
    out = b""
    for block in values.reshape(-1, 32):
        scale = np.float16(0.25)
        out += scale.tobytes() + np.rint(block / np.float32(scale)).astype("i1").tobytes()
    return out


row = numbers((2, 32), "<f4")
tensors = [
    ("x", (3, 4), 0, x.tobytes()),
    ("h", (4,), 1, numbers(4, "<f2").tobytes()),
    ("b", (2, 2), 30, numbers((2, 2), ml_dtypes.bfloat16).tobytes()),
    ("q", (2, 32), 8, q8_0(row)),
    ("n", (5,), 26, whole((5,), "<i4").tobytes()),
]
model = gguf(tensors)
open("model.gguf", "wb").write(model)
open("version2.gguf", "wb").write(gguf(tensors[:1], version=2, alignment=32))
open("bad_cut.gguf", "wb").write(model[:-1])
open("bad_head.gguf", "wb").write(model[:200])
open("bad_version.gguf", "wb").write(gguf(tensors, version=9))
open("bad_kind.gguf", "wb").write(gguf([("x", (3, 4), 99, x.tobytes())]))
open("bad_twice.gguf", "wb").write(gguf(tensors[:1] * 2))
open("bad_huge.gguf", "wb").write(gguf([("x", (1 << 40, 1 << 40), 0, b"")]))
open("bad_block.gguf", "wb").write(gguf([("q", (2, 31), 8, q8_0(row))]))
open("bad_alignment.gguf", "wb").write(model.replace(struct.pack("<II", 4, 64), struct.pack("<II", 4, 63)))
