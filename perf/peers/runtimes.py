"""How each runtime of perf/peers/compare runs a network. Every one runs in a process of its own and times each execution itself."""

import json
import os
import platform
import subprocess
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FRAMEWORKS = os.path.join(ROOT, 'build', 'frameworks')
MODULES = os.path.join(FRAMEWORKS, 'npm', 'node_modules')
MACHINE = {'aarch64': 'linux_arm64'}.get(platform.machine(), 'linux_amd64')
TFLITE = os.path.join(FRAMEWORKS, 'npm-tflite', 'node_modules', 'tfjs-tflite-node', 'cc_deps', MACHINE, 'libtensorflowlite_c.so')
TFLITE_HEADERS = os.path.join(FRAMEWORKS, 'tensorflow-lite-headers', 'usr', 'include')
# Name -> its sources and what the compiler needs besides.
WORKERS = {
    'xnnpack_worker': (['perf/peers/xnnpack_worker.cpp'], ['-lXNNPACK', '-lpthreadpool']),
    'tflite_worker': (['perf/peers/tflite_worker.cpp', 'tools/stock_frameworks/tensorflow_lite.cpp'],
                      ['-I', ROOT, '-isystem', TFLITE_HEADERS, '-ldl']),
}


class Failed(Exception):
    """Why a program failed, for people."""


@dataclass
class Measured:
    """Seconds of each execution, the outputs as nnvk has them, and what ran: devices, a version or kernels."""
    seconds: list
    outputs: list
    version: str


def run(command, **options):
    """Runs a program and returns its output. Raises Failed."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False, **options)
    except OSError as error:
        raise Failed(f'{command[0]} cannot be started: {error.strerror}') from error
    if result.returncode != 0:
        lines = (result.stderr or result.stdout).strip().splitlines()
        said = [line for line in lines if 'rror' in line] or lines[-1:] or [f'ended with {result.returncode}']
        raise Failed(f'{os.path.basename(command[0])}: {" ".join(said)[:300]}')
    return result.stdout


class Runtimes:
    """All runtimes by name, in the order of the table. `work`: a folder for programs that are built here."""

    PEERS = ('onnxruntime', 'xnnpack', 'tflite')
    NAMES = ('nnvk-cpu', 'nnvk default', *PEERS)

    def __init__(self, nnvk, work):
        self.nnvk, self.work = nnvk, work

    def prepare(self):
        """Builds the programs. Raises Failed if something is missing."""
        if not os.path.exists(self.nnvk):
            raise Failed(f'{self.nnvk} is not there; build it: cmake --preset release && ninja -C build/release nnvk')
        for needed in (os.path.join(MODULES, 'onnxruntime-node'), TFLITE, TFLITE_HEADERS):
            if not os.path.exists(needed):
                raise Failed(f'{needed} is not there; tools/setup --with-peers fetches it')
        for name, (sources, options) in WORKERS.items():
            program, paths = os.path.join(self.work, name), [os.path.join(ROOT, source) for source in sources]
            if not os.path.exists(program) or os.path.getmtime(program) < max(os.path.getmtime(path) for path in paths):
                try:
                    run(['g++', '-std=c++20', '-O2', '-Wall', '-o', program, *paths, *options])
                except Failed as error:
                    raise Failed(f'{name} cannot be built; tools/setup --with-peers installs what it needs. {error}') from error

    def measure(self, name, network, threads, runs):
        """Runs a network some times to warm up, then `runs` times. Raises Failed."""
        if name in network.reasons:
            raise Failed(network.reasons[name])
        functions = {'nnvk-cpu': self.on_nnvk_cpu, 'nnvk default': self.on_nnvk, 'onnxruntime': self.on_onnxruntime,
                     'xnnpack': self.on_xnnpack, 'tflite': self.on_tflite}
        return functions[name](network, threads, runs)

    def on_nnvk_cpu(self, network, threads, runs):
        return self.on_nnvk(network, threads, runs, 'nnvk-cpu')

    def on_nnvk(self, network, threads, runs, device='all'):
        out = os.path.join(network.folder, 'nnvk')
        environment = {**os.environ, 'NNVK_CPU_THREADS': str(threads), 'LP_NUM_THREADS': str(threads)}
        warm_up = max(3, runs // 5)
        report = json.loads(run([self.nnvk, 'run', network.path, '--device', device, '--runs', str(runs + warm_up), '--json', '--output',
                                 out, *[f'--input={path}' for path in network.inputs]], env=environment))
        files = [out] if len(network.outputs) == 1 else [f'{out}.{i}' for i in range(len(network.outputs))]
        outputs = [np.fromfile(file, output.type) for file, output in zip(files, network.outputs)]
        used = sorted({operation['device'] for operation in report['operations'] if operation['device']})
        return Measured(report['execution_seconds'][warm_up:], outputs, '+'.join(used))

    def on_onnxruntime(self, network, threads, runs):
        report = json.loads(run(['node', os.path.join(HERE, 'onnx_worker.js'), MODULES, network.onnx, str(threads), str(runs),
                                 json.dumps(network.onnx_inputs), network.folder]))
        outputs = [network.as_nnvk_has_it(i, np.fromfile(result['file'], result['type']).reshape(result['dims']))
                   for i, result in enumerate(report['outputs'])]
        return Measured(report['seconds'], outputs, report['version'])

    def on_xnnpack(self, network, threads, runs):
        out = os.path.join(network.folder, 'xnnpack')
        report = json.loads(run([os.path.join(self.work, 'xnnpack_worker'), network.xnnpack, network.inputs[0], str(threads), str(runs),
                                 out]))
        return Measured(report['seconds'], [np.fromfile(out, network.outputs[0].type)], 'Debian')

    def on_tflite(self, network, threads, runs):
        out = os.path.join(network.folder, 'tflite')
        report = json.loads(run([os.path.join(self.work, 'tflite_worker'), TFLITE, network.tflite, str(threads), str(runs), out,
                                 *network.inputs]))
        outputs = [np.fromfile(f'{out}.{i}', output.type) for i, output in enumerate(network.outputs)]
        return Measured(report['seconds'], outputs, f'{report["on_xnnpack"]} of {report["nodes"]}')


def versions():
    """The versions of the peers, for people."""
    def package(folder, *name):
        with open(os.path.join(FRAMEWORKS, folder, 'node_modules', *name, 'package.json')) as file:
            return json.load(file)['version']
    debian = subprocess.run(['dpkg-query', '-W', '-f', '${Version}', 'libxnnpack-dev'], capture_output=True, text=True, check=False)
    return (f'onnxruntime-node {package("npm", "onnxruntime-node")}; XNNPACK {debian.stdout or "?"} of Debian; TensorFlow Lite of '
            f'tfjs-tflite-node {package("npm-tflite", "tfjs-tflite-node")} with its own XNNPACK')
