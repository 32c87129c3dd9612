// Imports a model file and compiles it for a device, for `run` and `bench`.
#pragma once

#include <string>
#include <vector>

#include "importers/tflite/importer.h"
#include "tools/nnapi/session.h"

namespace nnvk::tools {

struct LoadedModel {
  DeviceEntry device;  // for several devices only `name` is set: it lists all
  importers::ImportedModel model;
  Session session;
  size_t kilobytes_before = 0;  // own_kilobytes() between import and compilation
};

// Compiles an imported model for exactly these devices, by Session::compile().
Result<Session> compile_model(const importers::ImportedModel& model, std::span<const DeviceEntry> devices,
                              const Caching& caching = {});

// Loads and compiles a model. `device` names one or several devices (find_devices()), over which the library distributes the
// model. The library stores the compilation in the cache folder, if given, under the hash of the file. `memory`: the most bytes
// for the model.
Result<LoadedModel> load_model(const std::string& path, const std::string& device, const std::string& cache_folder = {},
                               uint64_t memory = importers::kDefaultMemory);

// Gives every input of `session` generated values (made_up_input()), which are the same in every run.
void fill_with_made_up_inputs(const importers::ImportedModel& model, Session& session);

// Returns the median of the values: the mean of the two middle ones for an even count; 0 if there are none.
double median(std::vector<double> values);

}  // namespace nnvk::tools
