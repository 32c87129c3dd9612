// Types, shapes and quantization of inputs and outputs.
#include "python/tensors.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "python/errors.h"
#include "tools/nnapi/values.h"

namespace py = pybind11;

namespace nnvk::python {
namespace {

// Returns NumPy's name of the type; null if it has none.
const char* type_name(const importers::Port& port) {
  if (port.wide) return "int64";
  switch (port.info.type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      return "float32";
    case ANEURALNETWORKS_TENSOR_FLOAT16:
      return "float16";
    case ANEURALNETWORKS_TENSOR_INT32:
      return "int32";
    case ANEURALNETWORKS_TENSOR_BOOL8:
      return "bool";
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
      return "uint8";
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
      return "int8";
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
      return "int16";
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
      return "uint16";
    default:
      return nullptr;
  }
}

// Returns the array that `given` is or converts to, as contiguous elements of `dtype`.
py::array contiguous(const py::object& given, const py::dtype& dtype) {
  return py::module_::import("numpy").attr("ascontiguousarray")(given, dtype);
}

py::array shaped_like(const py::array& array, const py::dtype& dtype) {
  return py::module_::import("numpy").attr("empty_like")(array, dtype);
}

}  // namespace

py::dtype dtype_of(const importers::Port& port) {
  const char* const name = type_name(port);
  if (name == nullptr) {
    throw ModelError{fmt::format("tensor '{}' is a {}, for which NumPy has no type", port.name, to_string(port.info))};
  }
  return py::dtype(name);
}

std::string describe(const importers::Port& port) {
  std::string text = std::string(py::str(static_cast<py::object>(dtype_of(port)))) + " [";
  if (!port.scalar && port.info.dimensions.empty()) return text + "...]";
  for (size_t d = 0; d < port.info.dimensions.size() && !port.scalar; ++d) {
    const uint32_t size = port.info.dimensions[d];
    text += (d ? "," : "") + (size ? std::to_string(size) : "?");
  }
  return text + "]";
}

py::str Tensor::name() const { return text_of(port_.name); }

py::object Tensor::shape() const {
  if (!port_.scalar && port_.info.dimensions.empty()) return py::none();
  py::list sizes;
  for (const uint32_t size : port_.info.dimensions) {
    if (port_.scalar) break;
    sizes.append(size == 0 ? static_cast<py::object>(py::none()) : py::int_(size));
  }
  return py::tuple(sizes);
}

py::object Tensor::scale() const {
  if (!is_quantized()) return py::none();
  return py::float_(port_.info.scale);
}

py::object Tensor::zero_point() const {
  if (!is_quantized()) return py::none();
  return py::int_(port_.info.zero_point);
}

py::array Tensor::quantize(const py::object& reals) const {
  if (!is_quantized())
    throw InputError{fmt::format("'{}' is not quantized; it takes {} as they are", port_.name, describe(port_))};
  const py::array from = contiguous(reals, py::dtype("float32"));
  py::array to = shaped_like(from, dtype());
  const auto count = static_cast<size_t>(from.size());
  const auto bytes = tools::encode({static_cast<const float*>(from.data()), count}, port_.info);
  std::memcpy(to.mutable_data(), bytes.data(), std::min(bytes.size(), static_cast<size_t>(to.nbytes())));
  return to;
}

py::array Tensor::dequantize(const py::object& integers) const {
  const py::array given = py::module_::import("numpy").attr("asarray")(integers);
  if (!given.dtype().equal(dtype())) {
    throw InputError{fmt::format("'{}' has {}, given {}", port_.name, std::string(py::str(static_cast<py::object>(dtype()))),
                                 std::string(py::str(static_cast<py::object>(given.dtype()))))};
  }
  const py::array from = contiguous(given, dtype());
  if (!is_quantized()) return py::module_::import("numpy").attr("array")(from, py::dtype("float32"));
  py::array to = shaped_like(from, py::dtype("float32"));
  const auto reals = tools::decode({static_cast<const uint8_t*>(from.data()), static_cast<size_t>(from.nbytes())}, port_.info);
  std::memcpy(to.mutable_data(), reals.data(), std::min(reals.size() * sizeof(float), static_cast<size_t>(to.nbytes())));
  return to;
}

py::str Tensor::repr() const {
  std::string text = fmt::format("<Tensor '{}' {}", port_.name, describe(port_));
  if (is_quantized()) text += fmt::format(" scale {} zero point {}", port_.info.scale, port_.info.zero_point);
  return text_of(text + ">");
}

std::vector<Tensor> tensors_of(const std::vector<importers::Port>& ports) { return {ports.begin(), ports.end()}; }

void define_tensor(py::module_& module) {
  py::class_<Tensor>(module, "Tensor", "An input or output of a model.")
      .def_property_readonly("name", &Tensor::name, "The name that the file gives it.")
      .def_property_readonly("dtype", &Tensor::dtype, "The type of its arrays, a numpy.dtype.")
      .def_property_readonly("shape", &Tensor::shape, "A tuple of sizes. None stands for a size that the arrays of a run decide.")
      .def_property_readonly("scale", &Tensor::scale,
                             "The real number that one step of an integer stands for; None if it is not quantized.")
      .def_property_readonly("zero_point", &Tensor::zero_point, "The integer that stands for 0; None if it is not quantized.")
      .def("quantize", &Tensor::quantize, py::arg("reals"),
           "Converts real numbers to integers of this tensor: rounded to the nearest, and clamped to the range of its type.\n\n"
           "Raises InputError if the tensor is not quantized.")
      .def("dequantize", &Tensor::dequantize, py::arg("integers"),
           "Converts an array of this tensor's type to the real numbers (float32) that it stands for.\n\n"
           "Raises InputError if the array has another type.")
      .def("__repr__", &Tensor::repr);
}

}  // namespace nnvk::python
