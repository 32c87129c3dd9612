#!/usr/bin/python3
"""perf/peers/compare runs runtimes in turns, counts the same executions for all, and says what is missing. The runtimes are made up."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
try:
    import flatbuffers  # noqa: F401  (networks are written with it)
    import numpy as np
    import onnx.numpy_helper
    LOADER = importlib.machinery.SourceFileLoader('compare_program', os.path.join(ROOT, 'perf', 'peers', 'compare'))
    compare = importlib.util.module_from_spec(importlib.util.spec_from_loader('compare_program', LOADER))
    LOADER.exec_module(compare)
except ImportError as error:
    print(f'skipped: {error} (tools/setup --with-peers)', file=sys.stderr)
    sys.exit(77)  # ctest counts it as skipped
import figures  # noqa: E402  (found through perf/peers/compare)
import networks  # noqa: E402
import runtimes  # noqa: E402

DIGITS = os.path.join(ROOT, 'models', 'digits_float.tflite')


class FakeRuntimes(runtimes.Runtimes):
    """Every process takes a millisecond per execution more than the one before; `broken` ones fail."""

    broken, wrong = (), ()

    def __init__(self, *_):
        self.calls = []

    def prepare(self):
        pass

    def measure(self, name, network, threads, runs):
        if name in network.reasons or name in self.broken:
            raise runtimes.Failed(network.reasons.get(name, f'{name} is broken'))
        self.calls.append(name)
        milliseconds = len(self.calls) + np.arange(3)
        outputs = [np.full(10, 2.0 if name in self.wrong else 1.0, np.float32)]
        return runtimes.Measured(list(1e-3 * milliseconds), outputs, '1.0')


def entry(**milliseconds):
    """Figures of one row; minima are half of the medians."""
    return {name.replace('_', '-'): {'median': value, 'minimum': value / 2, 'version': '3 of 4', 'difference': 0.5, 'equal': True}
            for name, value in milliseconds.items()}


class Figures(unittest.TestCase):
    def record(self, zero_points_0=False, **milliseconds):
        return {'zero_points_0': zero_points_0, 'reasons': {}, 'threads': {'1': entry(**milliseconds)}}

    def test_the_best_peer_counts(self):
        self.assertEqual(figures.ratio(entry(nnvk_cpu=3, onnxruntime=6, tflite=4), 'median'), 0.75)
        self.assertIsNone(figures.ratio(entry(nnvk_cpu=3), 'median'))

    def test_the_summary_names_slow_networks_and_takes_those_with_zero_points_0_alone(self):
        records = {'a': self.record(nnvk_cpu=2, onnxruntime=1), 'b': self.record(True, nnvk_cpu=1, tflite=2)}
        self.assertEqual(figures.summary(records, '1', 'median'), [
            '- 1 thread, medians, all networks: geometric mean **1.000** of 2; above 1.05: a 2.00',
            '- 1 thread, medians, 8 bits, zero points 0: geometric mean **0.500** of 1; above 1.05: none'])

    def test_the_table_has_both_figures_of_every_runtime_and_the_kernels_that_ran(self):
        record = self.record(nnvk_cpu=3, onnxruntime=6, tflite=4)
        text = figures.table({'net': record})
        self.assertIn('| net | 1 | 3, 1.5 | - | 6, 3 | - | 4, 2 (3 of 4) | **0.75** | 0.75 | 0.5, 0.5 |', text)
        self.assertIn('tflite (operators on XNNPACK), ms', text)

    def test_networks_that_a_runtime_does_not_run_for_the_same_reason_share_a_line(self):
        record = self.record(nnvk_cpu=3)
        record['reasons'] = {'xnnpack': '8-bit networks'}
        self.assertTrue(figures.table({'a': record, 'b': record}).endswith('Not compared:\n\n- xnnpack: 8-bit networks: a, b'))

    def test_other_results_mark_the_ratio(self):
        record = self.record(nnvk_cpu=3, onnxruntime=6)
        record['threads']['1']['onnxruntime']['equal'] = False
        self.assertIn('**0.50** (results differ!)', figures.table({'net': record}))

    def test_floats_differ_by_their_largest_value_and_quantized_numbers_by_steps(self):
        floats, steps = networks.Output(np.float32, False), networks.Output(np.int8, True)
        ours = np.array([100, 1], np.float32)
        self.assertEqual(figures.difference('x', [floats], [ours], [ours + [0, 50]]), (0.5, False))
        self.assertEqual(figures.difference('x', [steps], [np.array([-128], np.int8)], [np.array([127], np.int8)]), (255.0, False))
        self.assertEqual(figures.difference('x', [floats], [ours], [ours[:1]]), (float('inf'), False))
        self.assertFalse(figures.difference('x', [floats], [ours], [])[1])


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(setattr, compare, 'Runtimes', compare.Runtimes)
        self.addCleanup(setattr, compare, 'versions', compare.versions)
        compare.Runtimes, compare.versions = FakeRuntimes, lambda: 'versions'
        FakeRuntimes.broken = FakeRuntimes.wrong = ()

    def run_compare(self, *words):
        """(exit status, what it prints)"""
        text = io.StringIO()
        try:
            with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
                code = compare.main([*words, '--work', self.folder])
        except SystemExit as end:
            code = end.code
        return code, text.getvalue()

    def test_each_round_begins_with_another_runtime(self):
        made_up = FakeRuntimes()
        network = networks.network('digits', DIGITS, self.folder)
        compare.in_turns(made_up, network, 1, {'nnvk-cpu': 5, 'onnxruntime': 5, 'tflite': 5}, 2)
        self.assertEqual(made_up.calls, ['nnvk-cpu', 'onnxruntime', 'tflite', 'onnxruntime', 'tflite', 'nnvk-cpu'])

    def test_medians_and_minima_are_of_the_same_executions_for_all(self):
        # After one process each, the rounds are of processes 6 to 10 and 11 to 15; the second round begins with the second runtime.
        code, text = self.run_compare('--model', DIGITS, '--threads', '1', '--rounds', '2')
        self.assertEqual(code, 0, text)
        self.assertIn('| digits_float | 1 | 11.5, 6 | 10, 7 (1.0) |', text)
        self.assertIn('| 11, 8 | 12, 9 | 13, 10 (1.0) | **1.05** | 0.75 | 0, 0, 0 |', text)

    def test_a_peer_that_fails_is_named_with_the_reason(self):
        FakeRuntimes.broken = ('tflite',)
        code, text = self.run_compare('--model', DIGITS, '--threads', '1')
        self.assertEqual(code, 0)
        self.assertIn('- tflite: tflite is broken: digits_float', text)

    def test_a_network_that_nnvk_does_not_run_is_an_error_and_the_others_go_on(self):
        FakeRuntimes.broken = ('nnvk-cpu',)
        code, text = self.run_compare('--model', DIGITS)
        self.assertEqual(code, 'error: no network was measured')
        self.assertIn('error: digits_float: nnvk-cpu is broken', text)
        FakeRuntimes.broken = ()
        code, text = self.run_compare('--model', '/gone.tflite', DIGITS)
        self.assertEqual(code, 1)
        self.assertIn('error: gone: /gone.tflite is not there', text)
        self.assertIn('| digits_float | 2 |', text)

    def test_other_results_than_nnvk_s_are_marked(self):
        FakeRuntimes.wrong = ('onnxruntime',)
        self.assertIn('(results differ!)', self.run_compare('--model', DIGITS)[1])

    def test_stored_figures_are_printed_without_runtimes(self):
        self.run_compare('--model', DIGITS, '--threads', '1')
        FakeRuntimes.broken = FakeRuntimes.NAMES
        code, text = self.run_compare('--model', DIGITS, '--stored')
        self.assertEqual(code, 0)
        self.assertIn('| digits_float | 1 |', text)

    def test_words_that_make_no_sense_are_refused(self):
        for words, said in ((['--only', 'vgg16'], 'invalid choice'), (['--threads', '0'], 'must be at least 1'),
                            (['--model', '/a/net.tflite', '/b/net.onnx'], '/b/net.onnx: another network is called net')):
            code, text = self.run_compare(*words)
            self.assertEqual(code, 2)
            self.assertIn(said, text)

    def test_only_tflite_and_onnx_files_are_networks(self):
        self.assertIn('error: net: net.pb is neither a .tflite nor an .onnx file', self.run_compare('--model', 'net.pb')[1])

    def negation(self, name, kind):
        """The path of an ONNX file with one operator, whose input has an open dimension."""
        path = os.path.join(self.folder, name)
        ports = [[onnx.helper.make_tensor_value_info(port, kind, ['n', 4])] for port in ('x', 'y')]
        onnx.save(onnx.helper.make_model(onnx.helper.make_graph([onnx.helper.make_node('Neg', ['x'], ['y'])], 'g', *ports)), path)
        return path

    def test_inputs_for_which_no_values_are_known_are_refused(self):
        path = self.negation('doubles.onnx', onnx.TensorProto.DOUBLE)
        self.assertIn('error: doubles: it has an input of type float64', self.run_compare('--model', path)[1])

    def test_indices_are_0_and_1_in_the_width_that_each_runtime_reads(self):
        network = networks.network('indices', self.negation('indices.onnx', onnx.TensorProto.INT64), self.folder)
        wide, narrow = np.fromfile(network.onnx_inputs[0]['file'], np.int64), np.fromfile(network.inputs[0], np.int32)
        self.assertTrue(set(wide) <= {0, 1})
        np.testing.assert_array_equal(wide, narrow)

    def test_zero_points_of_onnx_files_are_those_of_their_quantizations(self):
        for zeros, only_0 in (((), True), ((0,), True), ((3,), False)):
            kinds = {'x': onnx.TensorProto.FLOAT, 'y': onnx.TensorProto.UINT8}
            ports = [[onnx.helper.make_tensor_value_info(port, kind, [4])] for port, kind in kinds.items()]
            constants = [onnx.numpy_helper.from_array(np.array(0.5, np.float32), 'scale')]
            constants += [onnx.numpy_helper.from_array(np.array(zero, np.uint8), 'zero') for zero in zeros]
            node = onnx.helper.make_node('QuantizeLinear', ['x', 'scale', *['zero'] * len(zeros)], ['y'])
            path = os.path.join(self.folder, 'steps.onnx')
            onnx.save(onnx.helper.make_model(onnx.helper.make_graph([node], 'g', *ports, constants)), path)
            self.assertEqual(networks.network('steps', path, self.folder).zero_points_0, only_0, zeros)
        self.assertFalse(networks.network('net', self.negation('net.onnx', onnx.TensorProto.FLOAT), self.folder).zero_points_0)

    def test_an_onnx_file_goes_to_nnvk_and_onnx_runtime_with_open_dimensions_of_1(self):
        network = networks.network('net', self.negation('net.onnx', onnx.TensorProto.FLOAT), self.folder)
        self.assertEqual([(given['name'], given['dims']) for given in network.onnx_inputs], [('x', [1, 4])])
        self.assertEqual(network.outputs, [networks.Output(np.float32, False)])
        self.assertEqual(sorted(network.reasons), ['tflite', 'xnnpack'])


class Missing(unittest.TestCase):
    def prepare(self, nnvk):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(runtimes.Failed) as caught:
            runtimes.Runtimes(nnvk, folder).prepare()
        return str(caught.exception)

    def replace(self, name, value):
        self.addCleanup(setattr, runtimes, name, getattr(runtimes, name))
        setattr(runtimes, name, value)

    def test_without_nnvk_the_error_says_how_to_build_it(self):
        self.assertIn('/gone/nnvk is not there; build it: cmake --preset release', self.prepare('/gone/nnvk'))

    def test_without_a_framework_the_error_says_what_fetches_it(self):
        self.replace('MODULES', '/gone')
        self.assertEqual(self.prepare('/bin/true'), '/gone/onnxruntime-node is not there; tools/setup --with-peers fetches it')

    def test_a_worker_that_does_not_compile_is_an_error_and_no_empty_column(self):
        for name in ('MODULES', 'TFLITE', 'TFLITE_HEADERS'):
            self.replace(name, '/')
        self.addCleanup(setattr, runtimes.os.path, 'exists', os.path.exists)
        exists = os.path.exists
        runtimes.os.path.exists = lambda path: path == '/onnxruntime-node' or exists(path)
        self.replace('WORKERS', {'worker': (['perf/peers/xnnpack_worker.cpp'], ['--no-such-option'])})
        self.assertRegex(self.prepare('/bin/true'), r'worker cannot be built; tools/setup --with-peers installs what it needs\. g\+\+: .*option')

    def test_programs_that_fail_are_named_with_their_words(self):
        for command, said in ((['sh', '-c', 'echo first >&2; echo error: no GPU >&2; exit 3'], 'sh: error: no GPU'),
                              (['sh', '-c', 'exit 3'], 'sh: ended with 3'), (['/gone'], '/gone cannot be started: No such file')):
            with self.assertRaisesRegex(runtimes.Failed, said):
                runtimes.run(command)

    def test_setup_installs_all_that_the_workers_need(self):
        listed = subprocess.run([os.path.join(ROOT, 'tools', 'setup'), '--with-peers', '--list'], capture_output=True, text=True, check=True)
        for package in ('python3-numpy', 'python3-onnx', 'python3-flatbuffers', 'libxnnpack-dev', 'libpthreadpool-dev'):
            self.assertIn(package, listed.stdout.split())


if __name__ == '__main__':
    unittest.main()
