#include "tools/game/network_frame.h"

#include <nnvk/diagnostics.h>
#include <nnvk/shapes.h>

#include <algorithm>
#include <array>

namespace nnvk::game {
namespace {

Result<tools::MemoryHandle> memory_of(const Device& device, const ImageTensor& tensor, VkImageLayout layout, uint32_t access) {
  NnvkVkImageInfo info{};
  info.structSize = sizeof info;
  info.image = tensor.image.get();
  info.format = tensor.image.format();
  info.extent = {tensor.image.size().width, tensor.image.size().height, 1};
  info.usage = tensor.image.usage();
  info.layout = layout;
  std::ranges::fill(info.scale, tensor.scale);
  std::ranges::fill(info.bias, tensor.bias);
  ANeuralNetworksMemory* made = nullptr;
  const int result = nnvk_vkMemoryFromImage(device.imported(), &info, access, &made);
  tools::MemoryHandle memory(made);
  TOOLS_TRY(tools::check(result, "nnvk_vkMemoryFromImage"));
  return memory;
}

}  // namespace

Result<tools::CompilationHandle> compile_for_game(const Device& device, ANeuralNetworksModel* model,
                                                  std::span<const std::vector<std::vector<uint32_t>>> shapes) {
  const ANeuralNetworksDevice* const devices[] = {device.imported()};
  ANeuralNetworksCompilation* made = nullptr;
  TOOLS_TRY(tools::check(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &made),
                         "ANeuralNetworksCompilation_createForDevices"));
  tools::CompilationHandle compilation(made);
  for (const auto& set : shapes) {
    std::vector<NnvkShape> inputs;
    for (const auto& dimensions : set) inputs.push_back({static_cast<uint32_t>(dimensions.size()), dimensions.data()});
    TOOLS_TRY(tools::check(nnvk_Compilation_addInputShapes(made, inputs.data(), static_cast<uint32_t>(inputs.size())),
                           "nnvk_Compilation_addInputShapes"));
  }
  TOOLS_TRY(tools::check(ANeuralNetworksCompilation_finish(made), "ANeuralNetworksCompilation_finish"));
  return compilation;
}

Result<NetworkFrame> NetworkFrame::bind(const Device& device, ANeuralNetworksCompilation* compilation,
                                        std::span<const ImageTensor> inputs, std::span<const ImageTensor> outputs,
                                        VkImageLayout layout) {
  NetworkFrame frame;
  ANeuralNetworksExecution* execution = nullptr;
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_create(compilation, &execution), "ANeuralNetworksExecution_create"));
  frame.execution_.reset(execution);
  const auto bind_all = [&](std::span<const ImageTensor> tensors, uint32_t access, auto set, const char* name) -> Status {
    for (size_t i = 0; i < tensors.size(); ++i) {
      TOOLS_ASSIGN(tools::MemoryHandle memory, memory_of(device, tensors[i], layout, access));
      const VkExtent2D size = tensors[i].image.size();
      const std::array<uint32_t, 4> dimensions{1, size.height, size.width, tensors[i].channels};
      const ANeuralNetworksOperandType type{ANEURALNETWORKS_TENSOR_FLOAT32, dimensions.size(), dimensions.data(), 0, 0};
      TOOLS_TRY(tools::check(set(execution, static_cast<int32_t>(i), &type, memory.get(), 0, 0), name));
      frame.memories_.push_back(std::move(memory));
    }
    return {};
  };
  TOOLS_TRY(bind_all(inputs, NNVK_VK_ACCESS_READ, &ANeuralNetworksExecution_setInputFromMemory,
                     "ANeuralNetworksExecution_setInputFromMemory"));
  TOOLS_TRY(bind_all(outputs, NNVK_VK_ACCESS_WRITE, &ANeuralNetworksExecution_setOutputFromMemory,
                     "ANeuralNetworksExecution_setOutputFromMemory"));
  return frame;
}

Result<tools::EventHandle> NetworkFrame::prepare() {
  ANeuralNetworksEvent* event = nullptr;
  TOOLS_TRY(tools::check(nnvk_vkPrepareRecording(execution_.get(), &event), "nnvk_vkPrepareRecording"));
  return tools::EventHandle(event);
}

Status NetworkFrame::make_recording() {
  NnvkVkRecording* made = nullptr;
  TOOLS_TRY(tools::check(nnvk_vkCreateRecording(execution_.get(), VK_NULL_HANDLE, 0, &made), "nnvk_vkCreateRecording"));
  recording_.reset(made);
  return {};
}

Result<bool> NetworkFrame::make_recording_if_prepared() {
  NnvkVkRecording* made = nullptr;
  const int result = nnvk_vkCreateRecordingIfPrepared(execution_.get(), VK_NULL_HANDLE, 0, &made);
  if (result == NNVK_NOT_PREPARED) return false;
  TOOLS_TRY(tools::check(result, "nnvk_vkCreateRecordingIfPrepared"));
  recording_.reset(made);
  return true;
}

Status NetworkFrame::record(VkCommandBuffer commands, uint32_t flags) const {
  return tools::check(nnvk_vkRecord(recording_.get(), commands, flags), "nnvk_vkRecord");
}

Result<bool> NetworkFrame::record_slice(VkCommandBuffer commands, uint32_t flags, uint32_t microseconds) const {
  uint32_t remaining = 0;
  TOOLS_TRY(tools::check(nnvk_vkRecordSlice(recording_.get(), commands, flags, microseconds, &remaining), "nnvk_vkRecordSlice"));
  return remaining == 0;
}

Status NetworkFrame::reset() const { return tools::check(nnvk_vkResetRecording(recording_.get()), "nnvk_vkResetRecording"); }

}  // namespace nnvk::game
