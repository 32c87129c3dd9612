// Imports a model file and compiles it for a device, for `run` and `bench`.
#pragma once

#include <string>
#include <vector>

#include "importers/tflite/importer.h"
#include "tools/command/device_choice.h"
#include "tools/nnapi/session.h"

namespace nnvk::tools {

struct LoadedModel {
  DeviceEntry device;  // that computes; for several devices only `name` is set: it lists all
  importers::ImportedModel model;
  Session session;
  ChosenDevices choice;
  size_t kilobytes_before = 0;  // own_kilobytes() between import and compilation
};

// Compiles an imported model for exactly these devices, by Session::compile().
Result<Session> compile_model(const importers::ImportedModel& model, std::span<const DeviceEntry> devices,
                              const Caching& caching = {});

// Compiles an imported model for the devices that `device` names: find_devices()'s names, over which the library distributes the
// model, or "", with which it chooses. Prints on stderr which ones it chose, and why.
Result<LoadedModel> compile_loaded(importers::ImportedModel model, const std::string& device, const Caching& caching = {});

// Loads a model and compiles it by compile_loaded(). The library stores the compilation in the cache folder, if given, under the
// hash of the file. `memory`: the most bytes for the model.
Result<LoadedModel> load_model(const std::string& path, const std::string& device, const std::string& cache_folder = {},
                               uint64_t memory = importers::kDefaultMemory);

// Gives every input of `session` generated values (made_up_input()), which are the same in every run.
void fill_with_made_up_inputs(const importers::ImportedModel& model, Session& session);

// Returns "nnvk-cpu (CPU, version ...)"; for several devices, their names.
std::string description_of(const DeviceEntry& device);

// Returns the median of the values: the mean of the two middle ones for an even count; 0 if there are none.
double median(std::vector<double> values);

}  // namespace nnvk::tools
