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

VkExtent2D size_of(const tools::OperandInfo& info) { return {info.dimensions[2], info.dimensions[1]}; }

}  // namespace

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

VkExtent2D Network::input_size() const { return size_of(model_.inputs[0].info); }
VkExtent2D Network::output_size() const { return size_of(model_.outputs[0].info); }

Status Network::compile() {
  TOOLS_ASSIGN(compilation_, compile_for_game(device_, model_.builder.model()));
  info_.structSize = sizeof info_;
  TOOLS_TRY(tools::check(nnvk_vkGetRecordInfo(compilation_.get(), device_.imported(), &info_), "nnvk_vkGetRecordInfo"));
  if (info_.recordable == 0) return fail(fmt::format("operation {} cannot be recorded", info_.firstBlockedOperation));
  return {};
}

Result<NetworkFrame> Network::make_frame(const Image& input, const Image& output, VkImageLayout layout) const {
  const ImageTensor from{input, 3, kScale, kBias};
  const ImageTensor to{output, 3, kScale, kBias};
  TOOLS_ASSIGN(NetworkFrame frame,
               NetworkFrame::bind(device_, compilation_.get(), std::span(&from, 1), std::span(&to, 1), layout));
  TOOLS_TRY(frame.make_recording());
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
