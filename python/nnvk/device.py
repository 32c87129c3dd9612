"""The devices that run models."""

from dataclasses import dataclass
from typing import List

from nnvk import _nnvk


@dataclass(frozen=True)
class Device:
    """A device that the library found."""

    name: str
    """The name that `load(device=...)` takes, such as "nnvk-cpu"."""
    type: str
    """"GPU", "CPU", "accelerator", "other" or "unknown"."""
    version: str
    """The driver and its version."""
    feature_level: int
    """The level of NNAPI that it supports, 1 to 8."""


def devices() -> List[Device]:
    """Lists the devices. Without a Vulkan driver these are the CPU devices alone."""
    return [Device(*entry) for entry in _nnvk.list_devices()]
