#!/usr/bin/env python3
"""Cuts the quantized networks of quantize_models.py between their operators, to compare the integers of each operator alone.

Usage: build/frameworks/debian-root/run python3 perf/frameworks/separate_operators.py FOLDER INTO [--only NAME,...]

In INTO/NAME.onnx every 8-bit tensor is an output of the model, and those that read it read an input of the model instead. Both
runtimes then compute every operator from the same integers, and a difference in one does not reach the next.
"""
import argparse
import pathlib

import onnx
from onnx import helper, shape_inference


def separated(model):
    graph = shape_inference.infer_shapes(model).graph
    types = {value.name: value for value in [*graph.value_info, *graph.input, *graph.output]}
    elements = {tensor.name: tensor.data_type for tensor in graph.initializer}
    outputs = {value.name for value in graph.output}
    cut = set()
    for node in graph.node:
        if node.op_type != "QuantizeLinear" or node.input[0] not in types:
            continue
        name, element = node.output[0], elements[node.input[2]]
        shape = [dimension.dim_value for dimension in types[node.input[0]].type.tensor_type.shape.dim]
        graph.input.append(helper.make_tensor_value_info(f"{name}.given", element, shape))
        if name not in outputs:
            graph.output.append(helper.make_tensor_value_info(name, element, shape))
        cut.add(name)
    for node in graph.node:
        for i, value in enumerate(node.input):
            if value in cut:
                node.input[i] = f"{value}.given"
    result = helper.make_model(graph, opset_imports=model.opset_import)
    result.ir_version = model.ir_version
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("into", type=pathlib.Path)
    parser.add_argument("--only", help="names, separated by commas")
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    for path in sorted(arguments.folder.glob("*_8bit.onnx")):
        if not arguments.only or path.stem.removesuffix("_8bit") in arguments.only.split(","):
            onnx.save(separated(onnx.load(path)), arguments.into / path.name)
            print(path.stem, flush=True)


if __name__ == "__main__":
    main()
