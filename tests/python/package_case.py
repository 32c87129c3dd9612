"""What the tests of the Python package share: folders, models, and arrays."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import onnx_writer as onnx

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "models/digits_quant.tflite"
DIGITS_FLOAT = ROOT / "models/digits_float.tflite"
# The device on which tests run that need none in particular.
DEVICE = "nnvk-cpu"


class PackageCase(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, content, name="model.onnx"):
        """Writes a file and returns its path."""
        path = self.folder / name
        path.write_bytes(content)
        return path

    def load(self, content, device=DEVICE, **options):
        """A model of these bytes, in ONNX's format."""
        import nnvk

        return nnvk.load(self.file(content), device=device, **options)

    def open_tflite(self):
        """The path of a .tflite file `y = relu(x)` whose first dimension is open."""
        tensors = [{"name": name, "shape": [1, 3], "shape_signature": [-1, 3], "type": "FLOAT32"} for name in "xy"]
        graph = {"tensors": tensors, "inputs": [0], "outputs": [1], "operators": [{"opcode_index": 0, "inputs": [0], "outputs": [1]}]}
        document = {"version": 3, "operator_codes": [{"builtin_code": "RELU"}], "subgraphs": [graph], "buffers": [{}]}
        path = self.file(json.dumps(document).encode(), "relu.json")
        subprocess.run(["flatc", "--binary", "--strict-json", "-o", self.folder, ROOT / "importers/tflite/tflite_subset.fbs", path], check=True)
        return self.folder / "relu.tflite"

    def adder(self, shape=(2, 3), **options):
        """`y = x + 1`."""
        return self.load(onnx.add_one(shape), **options)

    def assert_input_error(self, call, *words):
        """The call raises InputError, whose text has all these words."""
        import nnvk

        with self.assertRaises(nnvk.InputError) as caught:
            call()
        self.assertIsInstance(caught.exception, ValueError)
        for word in words:
            self.assertIn(word, str(caught.exception))


def open_files():
    """The number of file descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))


def resident_kilobytes():
    """The memory of this process that is in use."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("/proc/self/status has no line VmRSS")
