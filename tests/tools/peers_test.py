#!/usr/bin/python3
"""perf/peers reads .tflite files as they are, and the files it writes compute what nnvk computes. Usage: peers_test.py NNVK

The ONNX graph is computed here, as python3-onnx of Debian 12 has no evaluator. Without that package this part is skipped, and without
stock frameworks (tools/setup --with-peers) a comparison of all runtimes is.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import flatbuffers  # noqa: F401  (networks are written with it)
    import numpy as np
except ImportError as error:
    print(f'skipped: {error} (tools/setup --with-peers)', file=sys.stderr)
    sys.exit(77)  # ctest counts it as skipped

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, *folder) for folder in (('perf', 'peers'), ('perf',), ('tools', 'training'))]
import make_network  # noqa: E402  (found through the paths above)
import runtimes  # noqa: E402
import tflite_file  # noqa: E402
import xnnpack_network  # noqa: E402

NNVK = os.path.abspath(sys.argv.pop(1))
FLOAT, QUANT = (os.path.join(ROOT, 'models', f'digits_{kind}.tflite') for kind in ('float', 'quant'))


def program():
    """perf/peers/compare as a module."""
    loader = importlib.machinery.SourceFileLoader('compare_program', os.path.join(ROOT, 'perf', 'peers', 'compare'))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('compare_program', loader))
    loader.exec_module(module)
    return module


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



class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def made(self, name, precision):
        make_network.write(name, precision, self.path('made.tflite'))
        return tflite_file.read(self.path('made.tflite'))

    def test_a_file_written_again_has_the_same_tables(self):
        for path in (FLOAT, QUANT):
            tables = tflite_file.read_tables(path)
            tflite_file.write_tables(self.path('again.tflite'), tables)
            np.testing.assert_equal(tflite_file.read_tables(self.path('again.tflite')), tables)

    def test_constants_lie_where_they_can_be_used_in_place(self):
        tflite_file.write_tables(self.path('again.tflite'), tflite_file.read_tables(FLOAT))
        with open(self.path('again.tflite'), 'rb') as file:
            data = file.read()
        for buffer in tflite_file.read_tables(FLOAT)['buffers']:
            if len(buffer['data']):
                self.assertEqual(data.index(np.asarray(buffer['data']).tobytes()) % 16, 0)

    def test_zero_points_are_0_where_the_name_says_so(self):
        for precision, only_0 in (('s8', False), ('s8_zero', True)):
            points = [tensor.zero_points for tensor in self.made('mlp', precision).tensors if tensor.quantized]
            self.assertEqual(not np.any(np.concatenate(points)), only_0, precision)

    def test_a_precision_that_a_network_lacks_is_an_error(self):
        done = subprocess.run(['/usr/bin/python3', make_network.__file__, 'lstm', self.path('lstm.tflite'), '--precision', 's8'],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, 'error: lstm is written as float only, not as s8\n'))

    def test_rows_of_a_matrix_are_the_pixels_of_a_picture_to_xnnpack(self):
        encoder = xnnpack_network.Encoder(self.made('mlp_of_32', 'float'))
        self.assertEqual(encoder.shape(encoder.model.inputs[0]), (1, 32, 784))

    def test_every_made_network_has_a_form_for_onnx_runtime(self):
        try:
            import tflite_to_onnx
        except ImportError:
            self.skipTest('python3-onnx is not there')
        for name, (_, _, precisions) in make_network.NETWORKS.items():
            if name != 'resnet50':  # a hundred megabytes, of the operators of resnet18
                tflite_to_onnx.convert(self.made(name, precisions[-1]))

    def test_all_runtimes_compute_what_nnvk_computes(self):
        try:
            import onnx  # noqa: F401
            compare_program = program()
        except ImportError as error:
            self.skipTest(f'{error} (tools/setup --with-peers)')
        needed = [runtimes.TFLITE, runtimes.TFLITE_HEADERS, '/usr/include/xnnpack.h', '/usr/include/pthreadpool.h']
        if not all(map(os.path.exists, needed)) or not shutil.which('node'):
            self.skipTest('stock frameworks are not there (tools/setup --with-peers)')
        again = self.path('again.tflite')  # stock TensorFlow Lite checks whether it is well-formed
        tflite_file.write_tables(again, tflite_file.read_tables(QUANT))
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(io.StringIO()):
            code = compare_program.main(['--only', 'mlp_of_32_float', 'mlp_s8_zero', 'lstm_float', '--model', again, '--rounds', '1',
                                         '--seconds', '0.01', '--nnvk', NNVK, '--work', self.folder])
        self.assertEqual(code, 0)
        self.assertNotIn('results differ!', text.getvalue())
        rows = [line.split(' | ') for line in text.getvalue().splitlines() if line.startswith(('| mlp', '| lstm', '| again'))]
        self.assertEqual(len(rows), 4 * 2)
        for row in rows:
            without_xnnpack = not row[0].endswith('mlp_of_32_float')
            self.assertEqual([cell == '-' for cell in row[2:7]], [False, False, False, without_xnnpack, False], row)


if __name__ == '__main__':
    unittest.main()
