// The extension module `nnvk._nnvk`: what the package `nnvk` is made of.
#include <dlfcn.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <tuple>

#include "python/errors.h"
#include "python/model.h"
#include "python/pending_run.h"
#include "python/tensors.h"
#include "tools/nnapi/names.h"

namespace py = pybind11;

namespace nnvk::python {
namespace {

// Lists name, kind, version and feature level of each device.
std::vector<std::tuple<std::string, std::string, std::string, int>> list_devices() {
  const auto listed = [] {
    const py::gil_scoped_release unlocked;  // the first call looks for drivers
    return value_of(tools::list_devices());
  };
  std::vector<std::tuple<std::string, std::string, std::string, int>> devices;
  for (const tools::DeviceEntry& device : listed()) {
    devices.emplace_back(device.name, tools::device_type_name(device.type), device.version,
                         tools::feature_level_number(device.feature_level));
  }
  return devices;
}

// Loads a model. The names of nnvk.load()'s parameters stand in the Python function; it has checked precision and priority.
std::unique_ptr<Model> load(const std::filesystem::path& path, const std::string& device, bool relaxed,
                            std::optional<int> priority, const std::pair<std::string, uint64_t>& cache_and_memory) {
  LoadOptions options{.devices = {}, .priority = priority, .cache_folder = cache_and_memory.first, .relaxed = relaxed};
  {
    const py::gil_scoped_release unlocked;
    auto devices = tools::find_devices(device);
    if (!devices) throw InputError{devices.error().message};
    options.devices = *std::move(devices);
  }
  return Model::load(path, options, cache_and_memory.second);
}

// Returns the path of the libneuralnetworks.so that this process uses.
std::string path_of_library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&ANeuralNetworks_getDeviceCount), &info) == 0 || info.dli_fname == nullptr) {
    throw ModelError{"the loader does not say where libneuralnetworks.so lies"};
  }
  return info.dli_fname;
}

}  // namespace
}  // namespace nnvk::python

PYBIND11_MODULE(_nnvk, module) {
  using namespace nnvk::python;
  module.doc() = "Neural networks on Vulkan and CPUs: the part of nnvk that is written in C++. Import nnvk instead.";
  define_exceptions(module);
  define_tensor(module);
  define_pending_run(module);
  define_model(module);
  module.def("list_devices", &list_devices, "Name, kind, version and feature level of each device.");
  module.def("load", &load, py::arg("path"), py::arg("device"), py::arg("relaxed"), py::arg("priority"),
             py::arg("cache_and_memory"), "Loads a model, for nnvk.load().");
  module.def("path_of_library", &path_of_library, "The file of libneuralnetworks.so that this process uses.");
}
