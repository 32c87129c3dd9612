"""Runs neural networks (.onnx and .tflite files) on GPUs through Vulkan, and on CPUs.

    import nnvk

    model = nnvk.load("digits.tflite")
    outputs = model.run(picture)

`picture` is a NumPy array of the type and shape of `model.inputs[0]`. `outputs` is a tuple of arrays that also knows the names of the outputs.
"""

from nnvk._nnvk import Error, InputError, Tensor
from nnvk.device import Device, devices
from nnvk.future import Future
from nnvk.model import Model, Outputs, load
from nnvk.plugins import onnxruntime_provider, tflite_delegate
from nnvk.reports import ExplainedOperation, Explanation, Partition, Profile, ProfiledOperation

__all__ = [
    "Device", "Error", "ExplainedOperation", "Explanation", "Future", "InputError", "Model", "Outputs", "Partition", "Profile",
    "ProfiledOperation", "Tensor", "devices", "load", "onnxruntime_provider", "tflite_delegate",
]
