"""Writes ONNX's own node tests, which Debian's python3-onnx generates, as files: FOLDER/<test>/{model.onnx,tolerance,input_0.pb,...}."""
import os
import sys

import numpy

# The tests are older than Debian's numpy, which dropped these names.
for name, builtin in (("float", float), ("int", int), ("bool", bool), ("object", object)):
    if name not in numpy.__dict__:
        setattr(numpy, name, builtin)

import onnx.backend.test.case.node as node_tests  # noqa: E402
from onnx import numpy_helper  # noqa: E402


def tensors_only(values):
    return all(isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype != object for value in values)


def main(folder):
    written = 0
    for case in node_tests.collect_testcases(None):
        for inputs, outputs in case.data_sets[:1]:
            target = os.path.join(folder, case.name)
            os.makedirs(target, exist_ok=True)
            with open(os.path.join(target, "model.onnx"), "wb") as file:
                file.write(case.model.SerializeToString())
            with open(os.path.join(target, "tolerance"), "w") as file:
                file.write(f"{case.rtol} {case.atol}\n")
            # Sequences, optional values and texts have no tensor file; the importer must refuse these models.
            if tensors_only(inputs) and tensors_only(outputs):
                for kind, values in (("input", inputs), ("output", outputs)):
                    for number, value in enumerate(values):
                        with open(os.path.join(target, f"{kind}_{number}.pb"), "wb") as file:
                            file.write(numpy_helper.from_array(numpy.asarray(value)).SerializeToString())
            written += 1
    print(written, "node tests")


if __name__ == "__main__":
    main(sys.argv[1])
