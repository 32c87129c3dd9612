"""Loading and running models."""

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Type, Union

import numpy

from nnvk import _nnvk
from nnvk.future import Future
from nnvk.reports import Explanation, Profile

# NNAPI's numbers of priorities (PriorityCode).
_PRIORITIES = {"low": 90, "medium": 100, "high": 110}
_DEFAULT_MEMORY = 2 << 30

Array = numpy.ndarray[Any, Any]


class Outputs(Tuple[Array, ...]):
    """The arrays of a run, in the order of `Model.outputs`.

    A tuple: `outputs[0]`, `scores, boxes = outputs`. It also takes the name of an output: `outputs["scores"]`.
    """

    names: Tuple[str, ...]
    """The names of the outputs."""

    def __new__(cls, arrays: Iterable[Array], names: Sequence[str]) -> "Outputs":
        """Models make outputs; programs do not."""
        values: Any = tuple(arrays)
        outputs = super().__new__(cls, values)
        outputs.names = tuple(names)
        return outputs

    def __getitem__(self, key: Any) -> Any:
        """The array of a position or a name; a tuple for a slice."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self.names:
            raise KeyError(f"there is no output '{key}'; the outputs are: {_listed(self.names)}")
        return super().__getitem__(self.names.index(key))

    def __getnewargs__(self) -> Tuple[Any, ...]:
        """For pickle and copy."""
        return tuple(self), self.names

    def items(self) -> List[Tuple[str, Array]]:
        """The names with their arrays."""
        return list(zip(self.names, self))


class Model:
    """A loaded model, from `nnvk.load()`. Any number of threads may run it at the same time.

    Inputs are arrays of the type and shape that `inputs` tells. They stand in the order of `inputs`, or have their names: `model.run(picture)`,
    `model.run(picture=picture)`, `model.run({"serving:0": picture})`. Arrays whose memory is contiguous and aligned are used in place.
    """

    def __init__(self, model: _nnvk.Model, path: str) -> None:
        """`nnvk.load()` makes models; programs do not."""
        self._model: Optional[_nnvk.Model] = model
        self._path = path
        self._inputs = model.inputs()
        self._outputs = model.outputs()
        self._devices = model.devices()
        self._output_names = [tensor.name for tensor in self._outputs]

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    @property
    def inputs(self) -> List[_nnvk.Tensor]:
        """The inputs, in the order of the file, each with name, dtype, shape, scale and zero_point."""
        return list(self._inputs)

    @property
    def outputs(self) -> List[_nnvk.Tensor]:
        """The outputs, in the order of the file, each with name, dtype, shape, scale and zero_point."""
        return list(self._outputs)

    @property
    def devices(self) -> List[str]:
        """The names of the devices that `load()` chose. An empty list: the library chooses, and `explain()` says what it chose."""
        return list(self._devices)

    def run(self, *arrays: Any, **named: Any) -> Outputs:
        """Runs the model and returns its outputs. Other threads of Python go on meanwhile.

        The first run with other sizes of open dimensions compiles the model for them. Raises InputError, which names the input, if an array
        does not fit, and Error if the run fails.
        """
        return Outputs(self._open().run(self._bound(arrays, named)), self._output_names)

    def run_async(self, *arrays: Any, wait_for: Iterable[Any] = (), **named: Any) -> Future:
        """Starts a run and returns at once. The arrays must not change until it has ended.

        `wait_for`: futures of other runs, and file descriptors of fences (numbers, or objects with `fileno()`). The run begins when all of
        them have ended, and fails if one of them fails. Raises InputError and Error as `run()`, and Error for models with outputs whose shape
        only a run finds out.
        """
        return Future(self._open().start(self._bound(arrays, named), list(wait_for)), self._output_names)

    def profile(self, *arrays: Any, **named: Any) -> Profile:
        """Runs the model six times and returns the mean times of its operations.

        Without arrays it runs on made-up numbers; a model with open dimensions other than the first needs arrays.
        """
        return Profile.parse(*self._open().profile(self._bound(arrays, named) if arrays or named else []))

    def explain(self, *arrays: Any, **named: Any) -> Explanation:
        """Says where each operation runs and why not elsewhere, with predicted and measured times. Runs the model 22 times.

        Without arrays it runs on made-up numbers; a model with open dimensions other than the first needs arrays.
        """
        return Explanation.parse(*self._open().explain(self._bound(arrays, named) if arrays or named else []))

    def close(self) -> None:
        """Frees the model. Runs that have begun end as usual; later ones raise Error. `with nnvk.load(...) as model:` calls it at the end."""
        self._model = None

    def __enter__(self) -> "Model":
        """The model itself."""
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        """Closes the model."""
        self.close()

    def __repr__(self) -> str:
        """The file, the inputs and the outputs."""
        return f"<Model '{self._path}' {self._inputs} -> {self._outputs}>"

    def _open(self) -> _nnvk.Model:
        model = self._model
        if model is None:
            raise _nnvk.Error(f"the model '{self._path}' is closed; load it again")
        return model

    def _bound(self, arrays: Tuple[Any, ...], named: Dict[str, Any]) -> List[Array]:
        """The arrays in the order of the inputs."""
        if len(arrays) == 1 and not named and isinstance(arrays[0], Mapping):
            named = dict(arrays[0])
            arrays = ()
        names = [tensor.name for tensor in self._inputs]
        if len(arrays) > len(names):
            raise _nnvk.InputError(f"the model has {len(names)} inputs ({_listed(names)}), given {len(arrays)} arrays")
        given: Dict[int, Any] = dict(enumerate(arrays))
        for name, value in named.items():
            if name not in names:
                raise _nnvk.InputError(f"there is no input '{name}'; the inputs are: {_listed(names)}")
            if names.index(name) in given:
                raise _nnvk.InputError(f"input '{name}' is given twice, by its position and by its name")
            given[names.index(name)] = value
        missing = [names[index] for index in range(len(names)) if index not in given]
        if missing:
            raise _nnvk.InputError(f"no array is given for {_listed(missing)}; the inputs are: {_listed(names)}")
        return [_as_array(names[index], given[index]) for index in range(len(names))]


def load(
    path: Union[str, "os.PathLike[str]"],
    *,
    device: str = "auto",
    precision: str = "exact",
    priority: str = "medium",
    cache_dir: Union[str, "os.PathLike[str]", None] = None,
    memory: int = _DEFAULT_MEMORY,
) -> Model:
    """Loads and compiles a `.onnx` file, or a `.tflite` file of any other name.

    device: "auto" (the library chooses the fastest), "vulkan", "vulkan:1", "cpu", a name of `nnvk.devices()`, or several of these with commas
        between, which share the model.
    precision: "exact", or "relaxed", which lets devices compute float32 in float16.
    priority: "low", "medium" or "high", against other work on the device.
    cache_dir: a folder that keeps compilations, so that the next load is faster.
    memory: the most bytes that the model may take for its tensors.

    Raises FileNotFoundError if there is no such file, InputError for a wrong argument, and Error, which names the file and the place, for a
    file that is damaged or needs what no device has.
    """
    file = os.fsdecode(path)
    os.stat(file)
    relaxed = {"exact": False, "relaxed": True}
    if precision not in relaxed:
        raise _nnvk.InputError(f"precision is '{precision}'; it takes one of: {_listed(relaxed)}")
    if priority not in _PRIORITIES:
        raise _nnvk.InputError(f"priority is '{priority}'; it takes one of: {_listed(_PRIORITIES)}")
    if not 0 < memory < 1 << 64:
        raise _nnvk.InputError(f"memory is {memory}; it takes a number of bytes from 1 on")
    if not device:
        raise _nnvk.InputError("device is empty; it takes auto, vulkan, cpu, or a name of nnvk.devices()")
    folder = "" if cache_dir is None else os.fsdecode(cache_dir)
    return Model(_nnvk.load(file, device, relaxed[precision], _PRIORITIES[priority], (folder, memory)), file)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _as_array(name: str, value: Any) -> Array:
    try:
        return numpy.asarray(value)
    except Exception as error:
        raise _nnvk.InputError(f"input '{name}' takes an array; {type(value).__name__} does not become one: {error}") from error
