// Errors of C++ as exceptions of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>

#include "tools/nnapi/result.h"

namespace nnvk::python {

// An error that becomes nnvk.Error.
struct ModelError {
  std::string message;
};
// An error that becomes nnvk.InputError, which is a ValueError as well: an argument does not fit.
struct InputError {
  std::string message;
};

// Returns the value of a result. Throws ModelError if the result is an error.
template <class T>
T value_of(tools::Result<T> result) {
  if (!result) throw ModelError{std::move(result).error().message};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Converts a text of a file or of the library, which need not be UTF-8: other bytes become U+FFFD.
pybind11::str text_of(const std::string& bytes);

// Adds the exceptions to the module and translates the errors above into them.
void define_exceptions(pybind11::module_& module);

}  // namespace nnvk::python
