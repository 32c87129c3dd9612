#include "tools/game/network.h"

#include <fmt/format.h>
#include <nnvk/diagnostics.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "importers/tflite/picture_size.h"

namespace nnvk::game {
namespace {

// The conversion between image components and the network's values: value = component * kScale + kBias.
constexpr float kScale = 2;
constexpr float kBias = -1;

bool is_picture(const tools::OperandInfo& info) {
  return info.type == ANEURALNETWORKS_TENSOR_FLOAT32 && info.dimensions.size() == 4 && info.dimensions[0] == 1 &&
         info.dimensions[3] == 3;
}

}  // namespace

Status NetworkFrame::record(VkCommandBuffer commands) {
  return tools::check(nnvk_vkRecord(recording_.get(), commands, 0), "nnvk_vkRecord");
}

Status NetworkFrame::reset() { return tools::check(nnvk_vkResetRecording(recording_.get()), "nnvk_vkResetRecording"); }

Result<std::unique_ptr<Network>> Network::load(const Device& device, const std::string& file, VkExtent2D size) {
  TOOLS_ASSIGN(auto graph, importers::tflite::read_graph_file(file));
  TOOLS_TRY(importers::tflite::set_picture_size(graph, size.height, size.width));
  TOOLS_ASSIGN(auto model, importers::tflite::import_graph(graph, {.memory = importers::kAnyMemory}));
  const bool fits = model.inputs.size() == 1 && model.outputs.size() == 1 && is_picture(model.inputs[0].info) &&
                    is_picture(model.outputs[0].info);
  if (!fits) return fail(file + " is not a network from one picture of floats to another");
  std::unique_ptr<Network> network(new Network(device, std::move(model)));
  TOOLS_TRY(network->compile());
  return network;
}

VkExtent2D Network::output_size() const {
  const std::vector<uint32_t>& dimensions = model_.outputs[0].info.dimensions;
  return {dimensions[2], dimensions[1]};
}

Status Network::compile() {
  const ANeuralNetworksDevice* const devices[] = {device_.imported()};
  ANeuralNetworksCompilation* made = nullptr;
  TOOLS_TRY(tools::check(ANeuralNetworksCompilation_createForDevices(model_.builder.model(), devices, 1, &made),
                         "ANeuralNetworksCompilation_createForDevices"));
  compilation_.reset(made);
  TOOLS_TRY(tools::check(ANeuralNetworksCompilation_finish(made), "ANeuralNetworksCompilation_finish"));
  info_.structSize = sizeof info_;
  TOOLS_TRY(tools::check(nnvk_vkGetRecordInfo(made, device_.imported(), &info_), "nnvk_vkGetRecordInfo"));
  if (info_.recordable == 0) return fail(fmt::format("operation {} cannot be recorded", info_.firstBlockedOperation));
  return {};
}

Result<NetworkFrame> Network::make_frame(const Image& input, const Image& output, VkImageLayout layout) const {
  NetworkFrame frame;
  const auto memory_of = [&](const Image& image, uint32_t access, tools::MemoryHandle& memory) {
    NnvkVkImageInfo info{};
    info.structSize = sizeof info;
    info.image = image.get();
    info.format = image.format();
    info.extent = {image.size().width, image.size().height, 1};
    info.usage = image.usage();
    info.layout = layout;
    std::ranges::fill(info.scale, kScale);
    std::ranges::fill(info.bias, kBias);
    ANeuralNetworksMemory* made = nullptr;
    const int result = nnvk_vkMemoryFromImage(device_.imported(), &info, access, &made);
    memory.reset(made);
    return tools::check(result, "nnvk_vkMemoryFromImage");
  };
  TOOLS_TRY(memory_of(input, NNVK_VK_ACCESS_READ, frame.input_));
  TOOLS_TRY(memory_of(output, NNVK_VK_ACCESS_WRITE, frame.output_));
  ANeuralNetworksExecution* execution = nullptr;
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_create(compilation_.get(), &execution), "ANeuralNetworksExecution_create"));
  const tools::ExecutionHandle owner(execution);
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_setInputFromMemory(execution, 0, nullptr, frame.input_.get(), 0, 0),
                         "ANeuralNetworksExecution_setInputFromMemory"));
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, nullptr, frame.output_.get(), 0, 0),
                         "ANeuralNetworksExecution_setOutputFromMemory"));
  NnvkVkRecording* recording = nullptr;
  TOOLS_TRY(tools::check(nnvk_vkCreateRecording(execution, VK_NULL_HANDLE, 0, &recording), "nnvk_vkCreateRecording"));
  frame.recording_.reset(recording);
  return frame;
}

Result<std::vector<float>> Network::on_cpu(const uint8_t* input) const {
  TOOLS_ASSIGN(const tools::DeviceEntry cpu, tools::find_device("nnvk-cpu"));
  TOOLS_ASSIGN(auto session, tools::Session::compile(model_.builder, std::span(&cpu, 1), model_.operation_origins));
  // Repeats the conversion of images to tensors on the CPU, as nnvk/vulkan_interop.h defines it.
  std::vector<float> tensor(session.input(0).size() / sizeof(float));
  constexpr auto kFactor = static_cast<float>(kScale / 255.0);
  for (size_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<float>(input[i / 3 * 4 + i % 3]) * kFactor + kBias;
  std::memcpy(session.input(0).data(), tensor.data(), session.input(0).size());
  TOOLS_TRY(session.run());
  std::vector<float> output(session.output(0).size() / sizeof(float));
  std::memcpy(output.data(), session.output(0).data(), session.output(0).size());
  return output;
}

}  // namespace nnvk::game
