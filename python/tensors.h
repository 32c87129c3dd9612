// Inputs and outputs of a model as Python sees them: `_nnvk.Tensor`.
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "importers/imported_model.h"

namespace nnvk::python {

// Returns the type of an array for a port. Throws ModelError if NumPy has no such type.
pybind11::dtype dtype_of(const importers::Port& port);
// Describes a port: "uint8 [1,?,8,1]"; "?" stands for an open dimension.
std::string describe(const importers::Port& port);

// Gives a port methods for Python. Immutable.
class Tensor {
 public:
  explicit Tensor(importers::Port port) : port_(std::move(port)) {}

  pybind11::str name() const;
  pybind11::dtype dtype() const { return dtype_of(port_); }
  // Returns a tuple of sizes with None for open dimensions; None if even the rank is open.
  pybind11::object shape() const;
  // Both functions return None unless the values are integers that stand for real numbers: real = scale * (integer - zero_point).
  pybind11::object scale() const;
  pybind11::object zero_point() const;
  pybind11::array quantize(const pybind11::object& reals) const;
  pybind11::array dequantize(const pybind11::object& integers) const;
  pybind11::str repr() const;

 private:
  bool is_quantized() const { return port_.info.scale != 0; }

  importers::Port port_;
};

std::vector<Tensor> tensors_of(const std::vector<importers::Port>& ports);
void define_tensor(pybind11::module_& module);

}  // namespace nnvk::python
