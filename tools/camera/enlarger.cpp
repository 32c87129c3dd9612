#include "tools/camera/enlarger.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "importers/tflite/picture_size.h"
#include "tools/image/picture.h"
#include "tools/nnapi/elapsed_time.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::camera {
namespace {

// Waits until the event's fence has signalled. If the execution failed, returns its error.
Status wait_for_fence(ANeuralNetworksEvent* event) {
  int fence = -1;
  nnvk_muteFailedCalls(true);  // nnapi-reference has no fences
  const int result = ANeuralNetworksEvent_getSyncFenceFd(event, &fence);
  nnvk_muteFailedCalls(false);
  if (result == ANEURALNETWORKS_NO_ERROR && fence >= 0) {
    pollfd waiting{fence, POLLIN, 0};
    const int ready = poll(&waiting, 1, -1);
    close(fence);
    if (ready != 1 || (waiting.revents & POLLERR) != 0) return fail("the network's fence says that it failed");
  }
  // If the device has no fences, this call waits for the execution. It returns the execution's result.
  return check(ANeuralNetworksEvent_wait(event), "the network");
}

// Converts the network's values to pixels.
void to_pixels(std::span<const uint8_t> values, const OperandInfo& info, std::vector<uint8_t>& rgb) {
  const uint64_t count = info.elements();
  rgb.resize(count);
  if (info.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED) {
    std::transform(values.begin(), values.end(), rgb.begin(), [](uint8_t v) { return static_cast<uint8_t>(v ^ 0x80); });
    return;
  }
  const auto* reals = reinterpret_cast<const float*>(values.data());
  std::transform(reals, reals + count, rgb.begin(), [](float v) {
    return static_cast<uint8_t>(std::clamp(v * 127.5F + 128.0F, 0.0F, 255.0F));  // 127.5, plus 0.5 to round
  });
}

}  // namespace

Enlarger::Slot::Slot(Slot&& other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)), bytes(std::exchange(other.bytes, {})), memory(std::move(other.memory)) {}

Enlarger::Slot::~Slot() {
  memory.reset();
  if (!bytes.empty()) munmap(bytes.data(), bytes.size());
  if (descriptor >= 0) close(descriptor);
}

Result<Enlarger::Slot> Enlarger::make_slot(size_t size) {
  Slot slot;
  slot.descriptor = memfd_create("nnvk_camera_result", MFD_CLOEXEC);
  if (slot.descriptor < 0 || ftruncate(slot.descriptor, static_cast<off_t>(size)) != 0)
    return fail("there is no memory left for results");
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, slot.descriptor, 0);
  if (mapped == MAP_FAILED) return fail("results cannot be mapped");
  slot.bytes = {static_cast<uint8_t*>(mapped), size};
  ANeuralNetworksMemory* memory = nullptr;
  TOOLS_TRY(check(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, slot.descriptor, 0, &memory),
                  "making a memory for results"));
  slot.memory.reset(memory);
  return slot;
}

Result<Enlarger> Enlarger::make(const std::string& model, const std::string& device, int width, int height, size_t depth) {
  TOOLS_ASSIGN(const auto chosen, find_device(device));
  TOOLS_ASSIGN(auto graph, importers::tflite::read_graph_file(model));
  TOOLS_TRY(importers::tflite::set_picture_size(graph, static_cast<uint32_t>(height), static_cast<uint32_t>(width)));
  TOOLS_ASSIGN(auto imported, importers::tflite::import_graph(graph, {.memory = importers::kAnyMemory}));
  const OperandInfo& in = imported.inputs[0].info;
  const OperandInfo& out = imported.outputs[0].info;
  const bool known = out.type == ANEURALNETWORKS_TENSOR_FLOAT32 || out.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  if (out.dimensions.size() != 4 || out.dimensions[3] != 3 || in.dimensions[3] != 3 || !known) {
    return fail(fmt::format("{}: the network must enlarge a picture, but makes {} of {}", model, to_string(out), to_string(in)));
  }
  TOOLS_ASSIGN(auto session, Session::compile(imported.builder, std::span(&chosen, 1), imported.operation_origins));
  Enlarger enlarger(std::move(imported), std::move(session));
  enlarger.device_name_ = chosen.name;
  enlarger.factor_ = static_cast<int>(out.dimensions[1] / in.dimensions[1]);
  for (size_t i = 0; i < depth; ++i) {
    TOOLS_ASSIGN(Slot slot, make_slot(out.bytes()));
    enlarger.slots_.push_back(std::move(slot));
    enlarger.free_.push_back(i);
  }
  return enlarger;
}

Enlarger::~Enlarger() {
  for (const Running& running : running_) (void)ANeuralNetworksEvent_wait(running.event.get());
}

nnvk_PictureConversion Enlarger::conversion_for(const AVFrame& frame) const {
  nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
  const Normalisation normalisation = pixel_normalisation(model_.inputs[0].info);
  std::fill_n(conversion.mean, 4, static_cast<float>(normalisation.mean));
  std::fill_n(conversion.deviation, 4, static_cast<float>(normalisation.deviation));
  if (frame.colorspace == AVCOL_SPC_BT709) conversion.colourMatrix = NNVK_PICTURE_BT709;
  if (frame.colorspace == AVCOL_SPC_BT2020_NCL) conversion.colourMatrix = NNVK_PICTURE_BT2020;
  if (frame.color_range == AVCOL_RANGE_JPEG || frame.format == AV_PIX_FMT_YUVJ420P) {
    conversion.colourRange = NNVK_PICTURE_FULL_RANGE;
  }
  return conversion;
}

Status Enlarger::start(FramePointer frame, SharedFrame& shared) {
  TOOLS_ASSIGN(ANeuralNetworksMemory* const memory, shared.memory_of(*frame));
  Running running;
  running.slot = free_.back();
  running.begin = Clock::now();
  ANeuralNetworksExecution* execution = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(session_.compilation(), &execution), "making an execution"));
  running.execution.reset(execution);
  const nnvk_PictureConversion conversion = conversion_for(*frame);
  TOOLS_TRY(check(nnvk_Execution_setInputPicture(execution, 0, &conversion), "nnvk_Execution_setInputPicture"));
  TOOLS_TRY(check(ANeuralNetworksExecution_setInputFromMemory(execution, 0, nullptr, memory, 0, 0), "binding a frame"));
  const Slot& slot = slots_[running.slot];
  TOOLS_TRY(check(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, nullptr, slot.memory.get(), 0, slot.bytes.size()),
                  "binding a result"));
  ANeuralNetworksEvent* event = nullptr;
  TOOLS_TRY(
      check(ANeuralNetworksExecution_startComputeWithDependencies(execution, nullptr, 0, 0, &event), "starting the network"));
  running.event.reset(event);
  running.start_seconds = seconds_since(running.begin);
  running.frame = std::move(frame);
  free_.pop_back();
  running_.push_back(std::move(running));
  return {};
}

Result<Enlarger::Finished> Enlarger::finish() {
  Running running = std::move(running_.front());
  running_.pop_front();
  free_.push_back(running.slot);
  TOOLS_TRY(wait_for_fence(running.event.get()));
  Finished finished;
  finished.frame = std::move(running.frame);
  finished.start_seconds = running.start_seconds;
  finished.network_seconds = seconds_since(running.begin);
  const auto begin = Clock::now();
  to_pixels(slots_[running.slot].bytes, model_.outputs[0].info, rgb_);
  finished.result_seconds = seconds_since(begin);
  finished.rgb = rgb_;
  return finished;
}

}  // namespace nnvk::tools::camera
