#!/usr/bin/env python3
"""Quantizes the networks of export_models.py to 8 bits with ONNX Runtime's own tool: statically, in the QDQ format.

Usage: build/frameworks/debian-root/run python3 perf/frameworks/quantize_models.py FOLDER [--only NAME,...] [--again]

Each FOLDER/NAME.onnx becomes FOLDER/NAME_8bit.onnx. The networks take turns through the tool's forms, so that each form occurs.
"""
import argparse
import pathlib
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

# The tool's default, its advice for processors of this kind, and the same with a scale for each channel.
FORMS = {
    "signed": {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8},
    "unsigned": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8},
    "channels": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8, "per_channel": True},
}


class Pictures(CalibrationDataReader):
    """The pictures that export_models.py left for networks of this size."""

    def __init__(self, folder, side):
        pictures = numpy.fromfile(folder / f"calibration_{side}.input", numpy.float32).reshape(-1, 1, 3, side, side)
        self.waiting = iter([{"input": picture} for picture in pictures])

    def get_next(self):
        return next(self.waiting, None)


def quantize(folder, name, form):
    model = onnx.load(folder / f"{name}.onnx")
    side = model.graph.input[0].type.tensor_type.shape.dim[3].dim_value
    with tempfile.TemporaryDirectory() as scratch:
        prepared = pathlib.Path(scratch) / "prepared.onnx"
        quant_pre_process(folder / f"{name}.onnx", prepared, skip_symbolic_shape=True)
        quantize_static(prepared, folder / f"{name}_8bit.part", Pictures(folder, side), quant_format=QuantFormat.QDQ, **FORMS[form])
    (folder / f"{name}_8bit.part").rename(folder / f"{name}_8bit.onnx")
    print(f"{name}: {form}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    names = sorted(path.stem for path in arguments.folder.glob("*.onnx") if not path.stem.endswith("_8bit"))
    chosen = arguments.only.split(",") if arguments.only else names
    unknown = set(chosen) - set(names)
    if unknown:
        sys.exit(f"error: {arguments.folder} has no {', '.join(sorted(unknown))}; export_models.py makes these files")
    print(f"ONNX Runtime {onnxruntime.__version__}", flush=True)
    for i, name in enumerate(names):
        if name in chosen and (arguments.again or not (arguments.folder / f"{name}_8bit.onnx").exists()):
            quantize(arguments.folder, name, list(FORMS)[i % len(FORMS)])


if __name__ == "__main__":
    main()
