// A network that takes pictures, compiled: what every element with a property "model" has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "importers/imported_model.h"
#include "integrations/gstreamer/frames.h"
#include "integrations/gstreamer/run.h"
#include "tools/answers/model_facts.h"
#include "tools/nnapi/devices.h"

namespace nnvk::gstreamer {

namespace answers = tools::answers;

// A run of the network, and the memory that receives its outputs.
struct NetworkRun {
  std::shared_ptr<Run> run;
  std::shared_ptr<Slot> results;
};

class Network : public std::enable_shared_from_this<Network> {
 public:
  // Loads a .tflite or .onnx file and compiles it. `device`: as find_devices() takes it. Fails if the network's only input is no
  // picture.
  static Result<std::shared_ptr<Network>> load(const std::string& model, const std::string& device);
  // Does the same with a .tflite file that takes pictures of any size, for this one.
  static Result<std::shared_ptr<Network>> load_for_size(const std::string& model, const std::string& device, uint32_t width,
                                                        uint32_t height);

  // Starts the network on a picture, behind the runs in `after`. `frame`: an owner of the picture's pixels; may be null.
  Result<NetworkRun> start(const SharedMemory& picture, const nnvk_PictureConversion& conversion,
                           std::span<const std::shared_ptr<Run>> after, Owner frame) const;
  // Runs the network once on zeros, which compiles all that its first run needs. Returns its results.
  Result<NetworkRun> run_on_zeros() const;

  // Returns the conversion for frames with these colours.
  nnvk_PictureConversion conversion_for(const GstVideoInfo& info) const;
  const answers::ModelFacts& facts() const { return facts_; }
  std::span<const tools::Normalisation> normalisations() const { return normalisations_; }
  const tools::OperandInfo& input() const { return model_.inputs[0].info; }
  size_t output_count() const { return model_.outputs.size(); }
  const importers::Port& output(size_t index) const { return model_.outputs[index]; }
  // Returns where an output's bytes begin in the results.
  size_t output_offset(size_t index) const { return offsets_[index]; }
  std::span<const uint8_t> output_bytes(const Slot& results, size_t index) const {
    return results.bytes().subspan(offsets_[index], output(index).info.bytes());
  }
  const std::vector<tools::DeviceEntry>& devices() const { return devices_; }
  // Returns the JSON of nnvk_describeCompilation().
  Result<std::string> describe() const;

 private:
  explicit Network(importers::ImportedModel model) : model_(std::move(model)), facts_(answers::facts_of(model_)) {}

  static Result<std::shared_ptr<Network>> compiled(importers::ImportedModel model, const std::string& path,
                                                   const std::string& device);
  Result<tools::ExecutionHandle> new_execution(const Slot& results) const;

  importers::ImportedModel model_;
  answers::ModelFacts facts_;
  std::vector<tools::Normalisation> normalisations_;
  std::vector<tools::DeviceEntry> devices_;
  tools::CompilationHandle compilation_;
  std::vector<size_t> offsets_;
  std::shared_ptr<SlotPool> slots_;
};

}  // namespace nnvk::gstreamer
