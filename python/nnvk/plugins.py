"""The plugins that put nnvk into stock frameworks."""

from pathlib import Path

from nnvk import _nnvk


def _beside_library(name: str, framework: str) -> str:
    path = Path(_nnvk.path_of_library()).resolve().parent / name
    if not path.exists():
        raise _nnvk.Error(
            f"there is no {path}: this nnvk was built without {framework}'s headers; build it again after tools/setup --with-frameworks"
        )
    return str(path)


def onnxruntime_provider() -> str:
    """The path of the plugin for ONNX Runtime, from version 1.23 on.

    `onnxruntime.register_execution_provider_library("nnvk", nnvk.onnxruntime_provider())` takes it. Raises Error if it was not built.
    """
    return _beside_library("libnnvk_onnxruntime.so", "ONNX Runtime")


def tflite_delegate() -> str:
    """The path of the external delegate for TensorFlow Lite.

    `tflite_runtime.interpreter.load_delegate(nnvk.tflite_delegate())` takes it. Raises Error if it was not built.
    """
    return _beside_library("libnnvk_tflite_delegate.so", "TensorFlow Lite")
