"""Makes the .pt files beside it, as PyTorch writes them.

Element i is i / 4 - 1.
"""

import collections
import zipfile

import torch


def numbers(*shape, dtype=torch.float32):
    count = torch.Size(shape).numel()
    return (torch.arange(count) / 4 - 1).reshape(shape).to(dtype)


x = numbers(3, 4)
torch.save(x, "single.pt")
layers = collections.OrderedDict(
    {
        "x": x,
        "turned": numbers(4, 3).t(),
        "part": numbers(5, 4)[1:3, 1:],
        "h": numbers(4, dtype=torch.float16),
        "b": numbers(4, dtype=torch.bfloat16),
        "i": torch.arange(5),
        "flags": torch.tensor([True, False, True]),
        "none": torch.zeros(0, 3),
        "c": torch.zeros(2, dtype=torch.complex64),
    }
)
model = torch.nn.Linear(4, 1, bias=False)
with torch.no_grad():
    model.weight.copy_(numbers(1, 4))
torch.save({"step": 7, "layers": layers, "model": model.state_dict(), "list": [x, torch.nn.Parameter(x)]}, "model.pt")
torch.save(model, "bad_code.pt")
torch.save(torch.zeros(1).expand(1 << 40), "bad_repeats.pt")
torch.save(x, "bad_old.pt", _use_new_zipfile_serialization=False)

with zipfile.ZipFile("single.pt") as whole, zipfile.ZipFile("bad_storage.pt", "w") as cut:
    for name in whole.namelist():
        data = whole.read(name)
        cut.writestr(name, data[:-3] if name.endswith("data/0") else data)
