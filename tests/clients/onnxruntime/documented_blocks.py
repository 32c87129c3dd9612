#!/usr/bin/env python3
"""Runs the block for C of docs/clients.md as it stands there, on a small model.

Usage: documented_blocks.py DOCUMENT PLUGIN LIBRARY INCLUDE_FOLDER [PYTHON]

PLUGIN: libnnvk_onnxruntime.so in a folder `lib`. LIBRARY: the file of ONNX Runtime that programs link. PYTHON: an interpreter that has
onnxruntime; then the block for Python runs as well, with PREFIX replaced by the plugin's folder above `lib`.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from document_blocks import blocks  # noqa: E402


def field(number: int, content: "bytes | int") -> bytes:
    """A field of a protocol buffer: a message or a small number."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    return bytes([number << 3 | 2, len(content)]) + content


def model() -> bytes:
    """An ONNX model: y = relu(x), FLOAT [1,4]."""
    shape = field(2, field(1, field(1, 1)) + field(1, field(1, 4)))
    float_tensor = field(2, field(1, field(1, 1) + shape))
    node = field(1, b"x") + field(2, b"y") + field(4, b"Relu")
    graph = field(1, node) + field(2, b"g") + field(11, field(1, b"x") + float_tensor) + field(12, field(1, b"y") + float_tensor)
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


def block(text: str, language: str) -> str:
    """The first block of this language below the heading of ONNX Runtime."""
    return blocks(text, language, "## ONNX Runtime")[0]


def main() -> int:
    document, plugin, library, include = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
    text = document.read_text()
    prefix = plugin.parent.parent
    environment = dict(os.environ, PREFIX=str(prefix), ORT_LIBRARY=str(library), ORT_INCLUDE=str(include))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "model.onnx").write_bytes(model())
        result = subprocess.run(["sh", "-e", "-c", block(text, "sh")], cwd=folder, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        print(result.stdout)
        if result.returncode != 0 or "nnvk takes 1 of 1 nodes" not in result.stdout or "ready" not in result.stdout:
            print("the block for C does not do what it says")
            return 1
        if len(sys.argv) > 5:
            code = block(text, "python").replace("PREFIX", str(prefix))
            subprocess.run([sys.argv[5], "-c", code], cwd=folder, env=environment, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
