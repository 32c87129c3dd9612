// Checks of arrays, and arrays over results.
#include "python/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <cstring>
#include <limits>

#include "importers/edges.h"
#include "python/errors.h"
#include "python/tensors.h"
#include "tools/nnapi/values.h"

namespace py = pybind11;

namespace nnvk::python {
namespace {

std::vector<int64_t> shape_of(const py::array& array) { return {array.shape(), array.shape() + array.ndim()}; }

// Describes an array: "float32 [1,8,8,1]".
std::string describe_array(const py::array& array) {
  return fmt::format("{} [{}]", std::string(py::str(static_cast<py::object>(array.dtype()))), fmt::join(shape_of(array), ","));
}

bool fits(const importers::Port& port, const std::vector<int64_t>& shape) {
  const auto& sizes = port.info.dimensions;
  if (port.scalar) return shape.empty();
  if (sizes.empty()) return true;  // even the rank is open
  return std::equal(sizes.begin(), sizes.end(), shape.begin(), shape.end(),
                    [](uint32_t size, int64_t given) { return size == 0 || size == given; });
}

void check(const importers::Port& port, const py::array& given) {
  const auto fault = [&](const std::string& remedy) {
    return InputError{fmt::format("input '{}' takes {}, given {}; {}", port.name, describe(port), describe_array(given), remedy)};
  };
  const py::dtype dtype = dtype_of(port);
  if (!given.dtype().equal(dtype)) {
    const std::string type = py::str(static_cast<py::object>(dtype));
    const bool reals = given.dtype().kind() == 'f' && port.info.scale != 0;
    throw fault(reals ? "model.inputs[...].quantize(array) turns real numbers into its integers"
                      : fmt::format("numpy.asarray(array, dtype='{}') converts it", type));
  }
  const std::vector<int64_t> shape = shape_of(given);
  if (!fits(port, shape)) throw fault("give it that shape, where ? stands for any size");
  for (const int64_t size : shape) {
    if (size == 0) throw fault("NNAPI has no input without elements");
    if (size > std::numeric_limits<int32_t>::max()) throw fault("NNAPI's sizes have 31 bits");
  }
  if (given.nbytes() > static_cast<py::ssize_t>(std::numeric_limits<uint32_t>::max())) {
    throw fault("NNAPI's inputs have at most 4 GiB");
  }
}

bool is_usable(const py::array& array) {
  return (array.flags() & py::array::c_style) != 0 && py::cast<bool>(array.attr("flags").attr("aligned"));
}

}  // namespace

Shapes InputArrays::shapes() const {
  Shapes shapes;
  for (const py::array& array : arrays) shapes.push_back(shape_of(array));
  return shapes;
}

std::vector<InputMemory> InputArrays::memory() const {
  std::vector<InputMemory> memory;
  for (const py::array& array : arrays) memory.push_back({array.data(), shape_of(array)});
  return memory;
}

InputArrays take_arrays(const std::vector<importers::Port>& inputs, const std::vector<py::array>& given) {
  if (given.size() != inputs.size()) {
    throw InputError{fmt::format("the model has {} inputs, given {} arrays", inputs.size(), given.size())};
  }
  InputArrays taken;
  for (size_t i = 0; i < inputs.size(); ++i) {
    check(inputs[i], given[i]);
    taken.arrays.push_back(is_usable(given[i]) ? given[i] : py::array(given[i].attr("copy")("C")));
  }
  return taken;
}

InputArrays made_up_arrays(const std::vector<importers::Port>& inputs, const Shapes& shapes) {
  InputArrays made;
  for (size_t i = 0; i < inputs.size(); ++i) {
    py::array array = py::module_::import("numpy").attr("zeros")(shapes[i], dtype_of(inputs[i]));
    importers::OperandInfo info = inputs[i].info;
    info.dimensions.assign(shapes[i].begin(), shapes[i].end());
    if (!inputs[i].wide) {  // integers stay 0: they may be indices
      const auto bytes = tools::made_up_input(info, static_cast<uint32_t>(i));
      std::memcpy(array.mutable_data(), bytes.data(), std::min(bytes.size(), static_cast<size_t>(array.nbytes())));
    }
    made.arrays.push_back(std::move(array));
  }
  return made;
}

py::array array_over(const importers::Port& port, const OutputMemory& output) {
  if (port.wide) return py::array(dtype_of(port), output.shape);
  auto owner = std::make_unique<std::shared_ptr<std::byte>>(output.bytes.data);
  const py::capsule base(owner.get(), [](void* owned) { delete static_cast<std::shared_ptr<std::byte>*>(owned); });
  void* const data = owner.release()->get();
  return py::array(dtype_of(port), output.shape, data, base);
}

void widen_array(const importers::Port& port, const OutputMemory& output, py::array& array) {
  if (!port.wide) return;
  const auto count = static_cast<size_t>(array.size());
  importers::widen({reinterpret_cast<const int32_t*>(output.bytes.data.get()), count},
                   {static_cast<int64_t*>(array.mutable_data()), count});
}

}  // namespace nnvk::python
