#include "tools/video/network.h"

#include <fmt/format.h>
#include <nnvk/diagnostics.h>

#include <algorithm>
#include <utility>

#include "importers/tflite/importer.h"
#include "importers/tflite/picture_size.h"
#include "tools/answers/interpretation.h"
#include "tools/command/model_file.h"
#include "tools/nnapi/session.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools::video {
namespace {

constexpr size_t kAlignment = 256;  // of outputs in their memory, for every device

bool takes_pictures(const answers::ModelFacts& facts, const OperandInfo& input) {
  const bool has_type = input.type == ANEURALNETWORKS_TENSOR_FLOAT32 || input.type == ANEURALNETWORKS_TENSOR_FLOAT16 ||
                        input.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
                        input.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  return facts.picture && facts.picture->batch == 1 && input.dimensions.size() == 4 && has_type;
}

}  // namespace

Result<std::shared_ptr<Network>> Network::load(const std::string& path, const std::string& device) {
  TOOLS_ASSIGN(auto model, import_model_file(path, {}));
  return compile(std::move(model), path, device);
}

Result<std::shared_ptr<Network>> Network::load_for_size(const std::string& path, const std::string& device, uint32_t width,
                                                        uint32_t height) {
  TOOLS_ASSIGN(auto graph, importers::tflite::read_graph_file(path));
  if (const Status sized = importers::tflite::set_picture_size(graph, height, width); !sized) {
    return fail(fmt::format("{}: {}; enlarging needs a network for pictures of any size", path, sized.error().message));
  }
  TOOLS_ASSIGN(auto model, importers::tflite::import_graph(graph, {.memory = importers::kAnyMemory}));
  return compile(std::move(model), path, device);
}

Result<std::shared_ptr<Network>> Network::compile(importers::ImportedModel model, const std::string& path,
                                                  const std::string& device) {
  std::shared_ptr<Network> network(new Network(std::move(model)));
  if (network->model_.inputs.size() != 1 || !takes_pictures(network->facts_, network->input())) {
    return fail(fmt::format("{} takes {} input(s), the first one {}; a video needs a model with one input for one picture", path,
                            network->model_.inputs.size(), to_string(network->input())));
  }
  network->normalisations_ = answers::expected_normalisation(network->facts_);
  size_t size = 0;
  for (const auto& port : network->model_.outputs) {
    if (port.info.bytes() == 0) return fail(fmt::format("the size of the output {} of {} is unknown", port.name, path));
    network->offsets_.push_back(size);
    size = (size + port.info.bytes() + kAlignment - 1) / kAlignment * kAlignment;
  }
  network->slots_ = std::make_shared<SlotPool>(size);
  TOOLS_ASSIGN(network->devices_, find_devices(device));
  TOOLS_ASSIGN(network->compilation_,
               compile_for(network->model_.builder, network->devices_, network->model_.operation_origins, {}));
  return network;
}

nnvk_PictureConversion Network::conversion_for(const Colours& colours) const {
  nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
  const Normalisation of_tensor = pixel_normalisation(input());
  for (size_t c = 0; c < std::size(conversion.mean); ++c) {
    const auto& chosen = normalisations_.empty() ? of_tensor : normalisations_[std::min(c, normalisations_.size() - 1)];
    conversion.mean[c] = static_cast<float>(chosen.mean);
    conversion.deviation[c] = static_cast<float>(chosen.deviation);
  }
  if (facts_.picture->channels_first) conversion.tensorLayout = NNVK_PICTURE_NCHW;
  conversion.colourMatrix = colours.matrix;
  conversion.colourRange = colours.range;
  return conversion;
}

answers::DecodingOptions Network::decoding_options() const {
  return {.normalisation = normalisations_.empty() ? pixel_normalisation(output(0).info) : normalisations_.front()};
}

Result<std::vector<answers::Answer>> Network::decoded(const Slot& results, const answers::DecodingOptions& options) const {
  std::vector<std::vector<float>> values;
  for (size_t i = 0; i < output_count(); ++i) values.push_back(decode(output_bytes(results, i), output(i).info));
  return answers::answers_of(facts_, values, options);
}

Result<ExecutionHandle> Network::new_execution(const Slot& results) const {
  ANeuralNetworksExecution* created = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation_.get(), &created), "making an execution"));
  ExecutionHandle execution(created);
  for (size_t i = 0; i < offsets_.size(); ++i) {
    TOOLS_TRY(check(ANeuralNetworksExecution_setOutputFromMemory(created, static_cast<int32_t>(i), nullptr, results.memory(),
                                                                 offsets_[i], output(i).info.bytes()),
                    fmt::format("binding output {}", i)));
  }
  return execution;
}

Result<NetworkRun> Network::start(const SharedMemory& picture, const nnvk_PictureConversion& conversion,
                                  std::span<const std::shared_ptr<Run>> after, Owner frame) const {
  NetworkRun started;
  TOOLS_ASSIGN(started.results, slots_->take());
  TOOLS_ASSIGN(auto execution, new_execution(*started.results));
  TOOLS_TRY(check(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), "setting the conversion of frames"));
  TOOLS_TRY(
      check(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, picture.get(), 0, 0), "binding a frame"));
  TOOLS_ASSIGN(started.run,
               Run::start(std::move(execution), after, {shared_from_this(), picture, started.results, std::move(frame)}));
  return started;
}

Result<NetworkRun> Network::run_on_zeros() const {
  NetworkRun started;
  TOOLS_ASSIGN(started.results, slots_->take());
  TOOLS_ASSIGN(auto execution, new_execution(*started.results));
  const auto zeros = std::make_shared<std::vector<uint8_t>>(input().bytes());
  TOOLS_TRY(
      check(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, zeros->data(), zeros->size()), "binding an input"));
  TOOLS_ASSIGN(started.run, Run::start(std::move(execution), {}, {zeros, started.results}));
  TOOLS_TRY(started.run->wait());
  return started;
}

Result<std::string> Network::describe() const {
  char* json = nullptr;
  TOOLS_TRY(check(nnvk_describeCompilation(compilation_.get(), &json), "describing the compilation"));
  return take_json(json);
}

}  // namespace nnvk::tools::video
