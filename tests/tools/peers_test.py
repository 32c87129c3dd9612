#!/usr/bin/python3
"""perf/peers reads .tflite files as they are, and the ONNX file it writes computes what nnvk computes. Usage: peers_test.py NNVK

The ONNX graph is computed here, as python3-onnx of Debian 12 has no evaluator; without that package this part is skipped.
"""

import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print('skipped: NumPy is not installed (on Debian: python3-numpy)', file=sys.stderr)
    sys.exit(77)  # ctest counts it as skipped

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'perf', 'peers'))
import tflite_file  # noqa: E402  (found through the path above)

NNVK = sys.argv.pop(1)
FLOAT, QUANT = (os.path.join(ROOT, 'models', f'digits_{kind}.tflite') for kind in ('float', 'quant'))


def on_nnvk(path, value):
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, 'in.raw'), os.path.join(folder, 'out.raw')
        value.tofile(source)
        subprocess.run([NNVK, 'run', path, '--device', 'nnapi-reference', f'--input={source}', '--output', target, '--runs', '1'],
                       check=True, capture_output=True)
        return np.fromfile(target, value.dtype)


def windows(x, kernel, strides, pads, fill):
    """Of an NCHW picture: [rows, columns, channels, kernel height, kernel width]."""
    x = np.pad(x[0], ((0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=fill)
    all_ = np.lib.stride_tricks.sliding_window_view(x, kernel, (1, 2))[:, ::strides[0], ::strides[1]]
    return all_.transpose(1, 2, 0, 3, 4)


def compute(model, inputs):
    """The float operators that the digits' network becomes."""
    from onnx import numpy_helper
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    values.update(inputs)
    for node in model.graph.node:
        a = {item.name: (list(item.ints) or item.i) for item in node.attribute}
        x = [values[name] for name in node.input]
        if node.op_type == 'Conv':
            parts = np.split(windows(x[0], a['kernel_shape'], a['strides'], a['pads'], 0), a['group'], axis=2)
            outs = [np.einsum('hwcij,ocij->ohw', p, w) for p, w in zip(parts, np.split(x[1], a['group']))]
            y = (np.concatenate(outs) + x[2][:, None, None])[None]
        elif node.op_type == 'MaxPool':
            y = windows(x[0], a['kernel_shape'], a['strides'], a['pads'], -np.inf).max((3, 4)).transpose(2, 0, 1)[None]
        elif node.op_type == 'Gemm':
            y = x[0] @ x[1].T + x[2]
        elif node.op_type == 'Softmax':
            e = np.exp(x[0] - x[0].max(-1, keepdims=True))
            y = e / e.sum(-1, keepdims=True)
        else:
            simple = {'Relu': lambda v: np.maximum(v, 0), 'Clip': np.clip, 'Identity': lambda v: v,
                      'Reshape': lambda v, shape: v.reshape(shape), 'Transpose': lambda v: v.transpose(a['perm'])}
            y = simple[node.op_type](*x)
        values[node.output[0]] = y
    return values['output0']


class Peers(unittest.TestCase):
    def test_files_are_read_as_they_are(self):
        model = tflite_file.read(QUANT)
        picture = model.tensors[model.inputs[0]]
        self.assertEqual((picture.shape, picture.type), ((1, 8, 8, 1), np.int8))
        self.assertAlmostEqual(float(picture.scales[0]), 0.007843138, 8)
        self.assertEqual([o.kind for o in model.operators],
                         ['CONV_2D', 'CONV_2D', 'MAX_POOL_2D', 'DEPTHWISE_CONV_2D', 'CONV_2D', 'RESHAPE', 'FULLY_CONNECTED', 'SOFTMAX'])
        self.assertEqual(model.operators[2].options['filter_width'], 2)
        self.assertEqual(model.operators[0].options['padding'], 'SAME')

    def test_the_onnx_file_computes_what_nnvk_computes(self):
        try:
            import tflite_to_onnx
        except ImportError:
            self.skipTest('python3-onnx is not there')
        model, nchw = tflite_to_onnx.convert(tflite_file.read(FLOAT))
        self.assertEqual(nchw, [False])
        value = np.random.default_rng(5).uniform(0, 1, (1, 8, 8, 1)).astype(np.float32)
        theirs = compute(model, {'input0': value.transpose(0, 3, 1, 2)})
        np.testing.assert_allclose(theirs.reshape(-1), on_nnvk(FLOAT, value), rtol=1e-4, atol=1e-6)


if __name__ == '__main__':
    unittest.main()
