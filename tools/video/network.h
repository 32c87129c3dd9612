// A network that takes pictures, compiled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "importers/imported_model.h"
#include "tools/answers/decoding.h"
#include "tools/answers/model_facts.h"
#include "tools/nnapi/devices.h"
#include "tools/video/frame_view.h"
#include "tools/video/run.h"

namespace nnvk::tools::video {

// The dimensions of a picture tensor, [1, height, width, channels].
inline constexpr size_t kTensorHeight = 1;
inline constexpr size_t kTensorWidth = 2;
inline constexpr size_t kTensorChannels = 3;

// A run of the network, and the memory that receives its outputs.
struct NetworkRun {
  std::shared_ptr<Run> run;
  std::shared_ptr<Slot> results;
};

class Network : public std::enable_shared_from_this<Network> {
 public:
  // Compiles a model. `device`: as find_devices() takes it. Fails if the network's only input is no picture. `path`: for errors.
  static Result<std::shared_ptr<Network>> compile(importers::ImportedModel model, const std::string& path,
                                                  const std::string& device);
  // Imports a .tflite or .onnx file and compiles the model.
  static Result<std::shared_ptr<Network>> load(const std::string& path, const std::string& device);
  // Does the same with a .tflite file that takes pictures of any size, for this one.
  static Result<std::shared_ptr<Network>> load_for_size(const std::string& path, const std::string& device, uint32_t width,
                                                        uint32_t height);

  // Starts the network on a picture, behind the runs in `after`. `frame`: an owner of the picture's pixels; may be null.
  Result<NetworkRun> start(const SharedMemory& picture, const nnvk_PictureConversion& conversion,
                           std::span<const std::shared_ptr<Run>> after, Owner frame) const;
  // Runs the network once on zeros, which compiles all that its first run needs. Returns its results.
  Result<NetworkRun> run_on_zeros() const;

  // Returns the conversion for frames with these colours.
  nnvk_PictureConversion conversion_for(const Colours& colours) const;
  // Returns options for decoded() without the caller's labels and least score.
  answers::DecodingOptions decoding_options() const;
  // Makes answers of results.
  Result<std::vector<answers::Answer>> decoded(const Slot& results, const answers::DecodingOptions& options) const;
  const answers::ModelFacts& facts() const { return facts_; }
  const OperandInfo& input() const { return model_.inputs[0].info; }
  size_t output_count() const { return model_.outputs.size(); }
  const importers::Port& output(size_t index) const { return model_.outputs[index]; }
  // Returns where an output's bytes begin in the results.
  size_t output_offset(size_t index) const { return offsets_[index]; }
  std::span<const uint8_t> output_bytes(const Slot& results, size_t index) const {
    return results.bytes().subspan(offsets_[index], output(index).info.bytes());
  }
  const std::vector<DeviceEntry>& devices() const { return devices_; }
  // Returns the JSON of nnvk_describeCompilation().
  Result<std::string> describe() const;

 private:
  explicit Network(importers::ImportedModel model) : model_(std::move(model)), facts_(answers::facts_of(model_)) {}

  Result<ExecutionHandle> new_execution(const Slot& results) const;

  importers::ImportedModel model_;
  answers::ModelFacts facts_;
  std::vector<Normalisation> normalisations_;
  std::vector<DeviceEntry> devices_;
  CompilationHandle compilation_;
  std::vector<size_t> offsets_;
  std::shared_ptr<SlotPool> slots_;
};

}  // namespace nnvk::tools::video
