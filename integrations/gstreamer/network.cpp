#include "integrations/gstreamer/network.h"

#include <fmt/format.h>
#include <nnvk/diagnostics.h>

#include <filesystem>
#include <utility>

#include "importers/tflite/importer.h"
#include "importers/tflite/picture_size.h"
#include "tools/answers/interpretation.h"
#include "tools/command/model_file.h"
#include "tools/nnapi/session.h"

namespace nnvk::gstreamer {
namespace {

using tools::check;
using tools::fail;

constexpr size_t kAlignment = 256;  // of outputs in their memory, for every device

bool takes_pictures(const answers::ModelFacts& facts, const tools::OperandInfo& input) {
  const bool has_type = input.type == ANEURALNETWORKS_TENSOR_FLOAT32 || input.type == ANEURALNETWORKS_TENSOR_FLOAT16 ||
                        input.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
                        input.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  return facts.picture && facts.picture->batch == 1 && input.dimensions.size() == 4 && has_type;
}

Status check_file(const std::string& path) {
  if (path.empty()) return fail("no model is set; set the property \"model\" to a .tflite or .onnx file");
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return fail(fmt::format("there is no file {}; set the property \"model\" to a .tflite or .onnx file", path));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<Network>> Network::load(const std::string& model, const std::string& device) {
  TOOLS_TRY(check_file(model));
  TOOLS_ASSIGN(auto imported, tools::import_model_file(model, {}));
  return compiled(std::move(imported), model, device);
}

Result<std::shared_ptr<Network>> Network::load_for_size(const std::string& model, const std::string& device, uint32_t width,
                                                        uint32_t height) {
  TOOLS_TRY(check_file(model));
  TOOLS_ASSIGN(auto graph, importers::tflite::read_graph_file(model));
  if (const Status sized = importers::tflite::set_picture_size(graph, height, width); !sized) {
    return fail(fmt::format("{}: {}; nnvkupscale needs a network for pictures of any size", model, sized.error().message));
  }
  TOOLS_ASSIGN(auto imported, importers::tflite::import_graph(graph, {.memory = importers::kAnyMemory}));
  return compiled(std::move(imported), model, device);
}

Result<std::shared_ptr<Network>> Network::compiled(importers::ImportedModel model, const std::string& path,
                                                   const std::string& device) {
  std::shared_ptr<Network> network(new Network(std::move(model)));
  if (network->model_.inputs.size() != 1 || !takes_pictures(network->facts_, network->input())) {
    return fail(fmt::format("{} takes {} input(s), the first one {}; the element needs a model with one input for one picture",
                            path, network->model_.inputs.size(), to_string(network->input())));
  }
  network->normalisations_ = answers::expected_normalisation(network->facts_);
  size_t size = 0;
  for (const auto& port : network->model_.outputs) {
    if (port.info.bytes() == 0) return fail(fmt::format("the size of the output {} of {} is unknown", port.name, path));
    network->offsets_.push_back(size);
    size = (size + port.info.bytes() + kAlignment - 1) / kAlignment * kAlignment;
  }
  network->slots_ = std::make_shared<SlotPool>(size);
  TOOLS_ASSIGN(network->devices_, tools::find_devices(device));
  TOOLS_ASSIGN(network->compilation_,
               tools::compile_for(network->model_.builder, network->devices_, network->model_.operation_origins, {}));
  return network;
}

nnvk_PictureConversion Network::conversion_for(const GstVideoInfo& info) const {
  return conversion_of(info, input(), normalisations_, facts_.picture->channels_first);
}

Result<tools::ExecutionHandle> Network::new_execution(const Slot& results) const {
  ANeuralNetworksExecution* created = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation_.get(), &created), "making an execution"));
  tools::ExecutionHandle execution(created);
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
  return tools::take_json(json);
}

}  // namespace nnvk::gstreamer
