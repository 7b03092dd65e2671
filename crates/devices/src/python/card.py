"""What a function sees of a card where there is none: tensors say that they lie on one, and lie on the processor.

Kernels of Triton run in Triton's interpreter, which takes such tensors. Without this, a function that asks where its
tensors lie would take another way than on a card, and what it does there would go unjudged.
"""

import contextlib
import types

import torch
from torch.overrides import TorchFunctionMode

CARD = torch.device("cuda", 0)
PROCESSOR = torch.device("cpu")


def here(value):
    """The processor, wherever a card is named."""
    if isinstance(value, str):
        return PROCESSOR if value == "cuda" or value.startswith("cuda:") else value
    return PROCESSOR if isinstance(value, torch.device) and value.type == "cuda" else value


class OnProcessor(TorchFunctionMode):
    """Makes and moves tensors on the processor that are asked for on the card."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        named = {name: here(value) for name, value in (kwargs or {}).items()}
        return function(*map(here, args), **named)


class Stream:
    """A stream, on which all is done at once."""

    cuda_stream = 0

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


class Autocast(torch.autocast):
    """Lower precision, which the processor has in bf16 alone."""

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        super().__init__("cpu", dtype=torch.bfloat16, enabled=enabled, cache_enabled=cache_enabled)


PROPERTIES = types.SimpleNamespace(
    name="none", major=8, minor=0, multi_processor_count=108, warp_size=32, total_memory=2**34, max_threads_per_block=1024
)
# what functions ask of the card, and what they have it do
ANSWERS = {
    "is_available": True,
    "device_count": 1,
    "current_device": 0,
    "get_device_name": "none",
    "get_device_capability": (8, 0),
    "get_device_properties": PROPERTIES,
    "is_current_stream_capturing": False,
    "synchronize": None,
    "empty_cache": None,
    "set_device": None,
    "init": None,
}


def tune_without_a_clock():
    """Has Triton's autotuner take a config by the sizes that it is called with: there is no card to time them on."""
    from triton.runtime.autotuner import Autotuner

    def bench(self, *args, config, **meta):
        chosen = sum(arg for arg in args if isinstance(arg, int)) % len(self.configs)
        return [float(config is not self.configs[chosen])]

    Autotuner._bench = bench


def install():
    """Puts it in the place of the card's parts of PyTorch."""

    def answering(answer):
        return lambda *args, **kwargs: answer

    for name, answer in ANSWERS.items():
        setattr(torch.cuda, name, answering(answer))
    torch.cuda.Stream = torch.cuda.Event = Stream
    torch.cuda.current_stream = torch.cuda.default_stream = Stream
    torch.cuda.device = torch.cuda.stream = answering(contextlib.nullcontext())
    torch.Tensor.cuda = lambda self, *args, **kwargs: self
    torch.Tensor.is_cuda = property(answering(True))
    torch.Tensor.is_cpu = property(answering(False))
    torch.Tensor.device = property(answering(CARD))
    torch.Tensor.get_device = answering(0)
    torch.Tensor.pin_memory = lambda self, *args, **kwargs: self
    torch.autocast = Autocast
    torch.cuda.amp.autocast = lambda enabled=True, *args, **kwargs: Autocast("cuda", enabled=enabled)
    # what is compiled computes what it did before
    torch.compile = lambda model=None, **kwargs: model if model is not None else lambda model: model
    if not hasattr(torch.Tensor, "untyped_storage"):
        # Triton's interpreter asks newer versions of PyTorch for this
        torch.Tensor.untyped_storage = lambda self: self.storage().untyped()
