// The exceptions and their translation.
#include "python/errors.h"

#include <exception>

namespace py = pybind11;

namespace nnvk::python {
namespace {

// The interpreter owns the object for as long as it runs: modules may be unloaded while exceptions are caught.
PyObject* g_error = nullptr;
PyObject* g_input_error = nullptr;

void translate(std::exception_ptr pointer) {  // NOLINT(performance-unnecessary-value-param): the type that pybind11 wants
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const InputError& error) {
    PyErr_SetObject(g_input_error, text_of(error.message).ptr());
  } catch (const ModelError& error) {
    PyErr_SetObject(g_error, text_of(error.message).ptr());
  }
}

}  // namespace

py::str text_of(const std::string& bytes) {
  PyObject* const text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

void define_exceptions(py::module_& module) {
  g_error = PyErr_NewExceptionWithDoc(
      "nnvk.Error", "A model, a device or the library does not do what was asked. The text names the place and the reason.",
      nullptr, nullptr);
  if (g_error == nullptr) throw py::error_already_set();
  const py::tuple bases = py::make_tuple(py::handle(g_error), py::handle(PyExc_ValueError));
  g_input_error = PyErr_NewExceptionWithDoc(
      "nnvk.InputError", "An argument does not fit the model. The text names the input, what it takes, and what was given.",
      bases.ptr(), nullptr);
  if (g_input_error == nullptr) throw py::error_already_set();
  module.add_object("Error", py::handle(g_error));
  module.add_object("InputError", py::handle(g_input_error));
  py::register_exception_translator(translate);
}

}  // namespace nnvk::python
