"""The networks that perf/peers/compare measures, and the forms in which the runtimes take them."""

import os
import sys
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHARED = os.path.join(os.path.dirname(ROOT), 'shared', 'models')
sys.path[:0] = [HERE, os.path.join(ROOT, 'perf'), os.path.join(ROOT, 'tools', 'training')]
import make_network  # noqa: E402  (found through the paths above)
import tflite_file  # noqa: E402
import tflite_to_onnx  # noqa: E402
import xnnpack_network  # noqa: E402

# Name -> a network of perf/make_network.py and its precision, or a file of the shared models.
ROWS = {f'{name}_{precision}': (name, precision) for name, (_, _, precisions) in make_network.NETWORKS.items() for precision in precisions}
ROWS |= {
    'mobilenet_v2_u8': 'mobilenet_v2_1.0_224_quant.tflite',
    'mobilenet_v2_s8_per_channel': 'tf2_mobilenet_v2_1.0_224_ptq.tflite',
    'mobilenet_v1_0.25_float': 'mobilenet_v1_0.25_224_1_default_1.tflite',
    'ssd_mobilenet_v1_u8': 'ssd_mobilenet_v1.tflite',
    'deeplabv3_float': 'deeplabv3.tflite',
    'deeplabv3_u8': 'deeplabv3_mnv2_dm05_pascal_quant.tflite',
    'movenet_s8': 'movenet_single_pose_lightning_ptq.tflite',
    'face_detection_float': 'face_detection_short_range.tflite',
    'hand_landmark_float': 'hand_landmark_lite.tflite',
    'selfie_segmentation_float': 'selfie_segmentation.tflite',
    'mnist_float': 'mnist.onnx',
    'lstm_mnist_s8': 'keras_lstm_mnist_ptq.tflite',
    'vww_float': 'vww_96_float.tflite',
    'keyword_spotting_s8': 'kws_ref_model.tflite',
}
PICTURES = {'movenet_s8': 'squat.bmp'}  # where noise would give no stable answer
CUSTOM_TAIL = 'TFLite_Detection_PostProcess'  # no other runtime has it: networks end before it


class Unusable(Exception):
    """Why a network cannot be measured, for people."""


@dataclass
class Output:
    """An output as files hold it: its type, and whether its numbers are steps of a quantization."""
    type: np.dtype
    quantized: bool


def without_custom_tail(source, target):
    """Writes the network without its last operator, whose inputs become the outputs."""
    model = tflite_file.read_tables(source)
    graph = model['subgraphs'][0]
    last = graph['operators'].pop()
    graph['outputs'] = [i for i in last['inputs'] if not len(model['buffers'][graph['tensors'][i]['buffer']]['data'])]
    tflite_file.write_tables(target, model)


def at_hand(source):
    """Whether a row of ROWS can be measured here."""
    return isinstance(source, tuple) or os.path.exists(os.path.join(SHARED, source))


def file_of(name, source, folder):
    """The file of a row of ROWS that is at hand; those that have to be made come into `folder`."""
    target = os.path.join(folder, name + '.tflite')
    makers = [module.__file__ for module in (make_network, sys.modules['network_builder'], tflite_file)]
    current = os.path.exists(target) and os.path.getmtime(target) > max(map(os.path.getmtime, makers))
    if isinstance(source, tuple):
        if not current:
            make_network.write(*source, target)
        return target
    path = os.path.join(SHARED, source)
    if path.endswith('.onnx') or not any(o.kind == CUSTOM_TAIL for o in tflite_file.read(path).operators):
        return path
    if not current:
        without_custom_tail(path, target)
    return target


def picture(path, shape):
    """A 24-bit .bmp file as an array of this NHWC shape: nearest pixels."""
    with open(path, 'rb') as file:
        data = file.read()
    first, width, height = (int.from_bytes(data[at:at + 4], 'little', signed=True) for at in (10, 18, 22))
    row = (3 * width + 3) // 4 * 4
    rows = np.frombuffer(data, np.uint8, row * abs(height), first).reshape(abs(height), row)[:, :3 * width]
    pixels = rows.reshape(abs(height), width, 3)[::-1 if height > 0 else 1, :, ::-1]
    y, x = (np.arange(shape[1 + i]) * pixels.shape[i] // shape[1 + i] for i in range(2))
    return np.ascontiguousarray(pixels[y][:, x]).reshape(shape)


def made_up(shape, kind, random):
    """Random values; 0 or 1 for types of indices and masks, which are valid as either."""
    if kind == np.float32:
        return random.uniform(-1, 1, shape).astype(np.float32)
    if kind in (np.int32, np.int64, np.bool_):
        return random.integers(0, 2, shape).astype(kind)
    if kind not in (np.uint8, np.int8):
        raise Unusable(f'it has an input of type {np.dtype(kind).name}, for which no values are made up')
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max, shape, kind, endpoint=True)


class Network:
    """A network with the files of its inputs. Runtimes that cannot take it have a reason in `reasons`.

    path: what nnvk reads; tflite, onnx, xnnpack: what the peers read; zero_points_0: it is in 8 bits and has no other zero points.
    """

    def __init__(self, name, path, folder):
        self.name, self.path, self.folder = name, path, folder
        self.inputs, self.onnx_inputs, self.outputs, self.reasons, self.zero_points_0 = [], [], [], {}, False
        os.makedirs(folder, exist_ok=True)

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as file:
            file.write(data.tobytes() if isinstance(data, np.ndarray) else data)
        return path

    def add_onnx_input(self, name, value):
        self.onnx_inputs.append({'name': name, 'type': value.dtype.name, 'dims': list(value.shape),
                                 'file': self.write(f'onnx_input{len(self.onnx_inputs)}.raw', value)})

    def as_nnvk_has_it(self, _, value):
        """The values of an output of ONNX Runtime in the order and type of nnvk's."""
        return value.reshape(-1)


class TfliteNetwork(Network):
    def __init__(self, name, path, folder):
        super().__init__(name, path, folder)
        import onnx
        self.model, self.tflite = tflite_file.read(path), path
        self.outputs = [Output(self.model.tensors[i].type, self.model.tensors[i].quantized) for i in self.model.outputs]
        zeros = [tensor.zero_points for tensor in self.model.tensors if tensor.quantized]
        self.zero_points_0 = bool(zeros) and not any(np.any(points) for points in zeros)
        random = np.random.default_rng(1)
        for i, index in enumerate(self.model.inputs):
            tensor = self.model.tensors[index]
            value = picture(os.path.join(SHARED, PICTURES[name]), tensor.shape) if name in PICTURES else \
                made_up(tensor.shape, tensor.type, random)
            self.inputs.append(self.write(f'input{i}.raw', value))
            peer = tflite_to_onnx.as_stored(tensor, value)
            self.add_onnx_input(f'input{i}', peer.transpose(tflite_to_onnx.TO_NCHW) if peer.ndim == 4 else peer)
        self.onnx = os.path.join(self.folder, 'network.onnx')
        try:
            converted, self.onnx_outputs_nchw = tflite_to_onnx.convert(self.model)
            onnx.save(converted, self.onnx)
        except tflite_to_onnx.NotConverted as error:
            self.reasons['onnxruntime'] = str(error)
        try:
            self.xnnpack = self.write('network.xnnpack', xnnpack_network.encode(self.model))
        except xnnpack_network.NotEncoded as error:
            self.reasons['xnnpack'] = str(error)

    def as_nnvk_has_it(self, number, value):
        if self.onnx_outputs_nchw[number]:
            value = value.transpose(tflite_to_onnx.TO_NHWC)
        output = self.outputs[number]
        if output.quantized and output.type == np.int8:
            value = value.astype(np.int16) - 128
        return value.reshape(-1).astype(output.type)


class OnnxNetwork(Network):
    """Open dimensions are 1, as for nnvk."""

    def __init__(self, name, path, folder):
        super().__init__(name, path, folder)
        import onnx.numpy_helper
        self.onnx = path
        graph = onnx.load(path, load_external_data=False).graph
        self.reasons = {runtime: 'ONNX files' for runtime in ('xnnpack', 'tflite')}
        constants = {tensor.name: tensor for tensor in graph.initializer}
        steps = [node.input[2:] for node in graph.node if node.op_type in ('QuantizeLinear', 'DequantizeLinear')]
        self.zero_points_0 = bool(steps) and all(name in constants and not np.any(onnx.numpy_helper.to_array(constants[name]))
                                                 for names in steps for name in names)
        random = np.random.default_rng(1)
        for port in graph.input:
            if port.name not in constants:
                shape = [dimension.dim_value or 1 for dimension in port.type.tensor_type.shape.dim]
                value = made_up(shape, self.type_of(port), random)
                narrow = value.astype(np.int32) if value.dtype == np.int64 else value  # nnvk reads 64-bit inputs as 32-bit ones
                self.inputs.append(self.write(f'input{len(self.inputs)}.raw', narrow))
                self.add_onnx_input(port.name, value)
        self.outputs = [Output(self.type_of(port), self.type_of(port) in (np.uint8, np.int8)) for port in graph.output]

    @staticmethod
    def type_of(port):
        from onnx import mapping
        return mapping.TENSOR_TYPE_TO_NP_TYPE[port.type.tensor_type.elem_type].type


def network(name, path, folder):
    """A .tflite or .onnx file with all that the runtimes need, which is written below `folder`. Raises Unusable."""
    kinds = {'.tflite': TfliteNetwork, '.onnx': OnnxNetwork}
    kind = kinds.get(os.path.splitext(path)[1])
    if kind is None:
        raise Unusable(f'{path} is neither a .tflite nor an .onnx file')
    if not os.path.exists(path):
        raise Unusable(f'{path} is not there')
    return kind(name, path, os.path.join(folder, name))
