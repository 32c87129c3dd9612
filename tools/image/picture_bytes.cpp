// Pictures as bytes of tensors: nnvk/picture.h converts them, so that a file becomes what a camera's frame becomes.
#include <nnvk/picture.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "tools/image/picture_shape.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/session.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

// Returns whether the library writes pictures into tensors of this type.
bool is_written(int32_t type) {
  return is_quant8(type) || type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT16;
}

std::vector<uint8_t> rgba_of(const Picture& picture) {
  constexpr uint32_t kAlpha = 3;
  std::vector<uint8_t> rgba;
  rgba.reserve(size_t{picture.width} * picture.height * 4);
  for (size_t at = 0; at < picture.values.size(); at += picture.channels) {
    for (uint32_t c = 0; c < 4; ++c) {
      const bool is_opaque = c == kAlpha && picture.channels != 4;
      const float value = is_opaque ? 255.0F : picture.values[at + std::min(c, picture.channels - 1)];
      rgba.push_back(static_cast<uint8_t>(std::lround(value)));
    }
  }
  return rgba;
}

Result<MemoryHandle> memory_of(const Picture& picture) {
  const std::vector<uint8_t> rgba = rgba_of(picture);
  const int descriptor = memfd_create("nnvk_picture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ssize_t written = 0;
  for (size_t done = 0; done < rgba.size() && written >= 0; done += static_cast<size_t>(std::max<ssize_t>(0, written))) {
    written = write(descriptor, rgba.data() + done, rgba.size() - done);
  }
  const std::string problem = std::strerror(errno);
  nnvk_FrameLayout layout{};
  layout.size = sizeof layout;
  layout.width = picture.width;
  layout.height = picture.height;
  layout.fourcc = NNVK_FRAME_ABGR8888;
  layout.flags = NNVK_FRAME_SEAL;
  layout.planeCount = 1;
  layout.planes[0].rowPitch = picture.width * 4;
  ANeuralNetworksMemory* memory = nullptr;
  const Status made = written < 0 ? fail("cannot copy a picture into shared memory: " + problem)
                                  : check(nnvk_Memory_createFromFds(&layout, &descriptor, 1, &memory), "sharing a picture");
  if (descriptor >= 0) close(descriptor);
  TOOLS_TRY(made);
  return MemoryHandle(memory);
}

// Makes a model that returns its input.
Result<ModelBuilder> identity(const OperandInfo& tensor) {
  TOOLS_ASSIGN(ModelBuilder model, ModelBuilder::create());
  TOOLS_ASSIGN(const uint32_t input, model.add_operand(tensor));
  const std::vector<int32_t> dimensions(tensor.dimensions.begin(), tensor.dimensions.end());
  TOOLS_ASSIGN(const uint32_t shape, model.add_int32_tensor(dimensions));
  TOOLS_ASSIGN(const uint32_t output, model.add_operand(tensor));
  TOOLS_TRY(model.add_operation(ANEURALNETWORKS_RESHAPE, {{input, shape}}, {{output}}, "a picture"));
  TOOLS_TRY(model.finish({{input}}, {{output}}));
  return model;
}

}  // namespace

Result<std::vector<uint8_t>> picture_bytes(const Picture& picture, const PictureShape& shape, const OperandInfo& info,
                                           std::span<const Normalisation> normalisations) {
  nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
  conversion.filter = NNVK_PICTURE_AREA;
  conversion.tensorLayout = shape.channels_first ? NNVK_PICTURE_NCHW : NNVK_PICTURE_NHWC;
  OperandInfo tensor = info;
  tensor.dimensions = shape.channels_first ? std::vector<uint32_t>{1, shape.channels, shape.height, shape.width}
                                           : std::vector<uint32_t>{1, shape.height, shape.width, shape.channels};
  if (!is_written(info.type)) tensor = {.dimensions = tensor.dimensions};
  if (normalisations.empty() && is_quant8(info.type)) {
    tensor.scale = 1;
    tensor.zero_point = info.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? 0 : -128;
    std::fill_n(conversion.deviation, 4, 1.0F);
  } else {
    for (size_t c = 0; c < 4; ++c) {
      const Normalisation chosen =
          normalisations.empty() ? Normalisation{} : normalisations[std::min(c, normalisations.size() - 1)];
      conversion.mean[c] = static_cast<float>(chosen.mean);
      conversion.deviation[c] = static_cast<float>(chosen.deviation);
    }
  }
  TOOLS_ASSIGN(const MemoryHandle memory, memory_of(picture));
  TOOLS_ASSIGN(const ModelBuilder model, identity(tensor));
  TOOLS_ASSIGN(const DeviceEntry device, find_device("nnapi-reference"));
  TOOLS_ASSIGN(const CompilationHandle compilation, compile_for(model, {&device, 1}, {}, {}));
  Buffers outputs{std::vector<uint8_t>(tensor.bytes())};
  TOOLS_ASSIGN(const ExecutionHandle execution, bound_execution(compilation.get(), {}, outputs));
  TOOLS_TRY(check(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), "setting a picture's conversion"));
  TOOLS_TRY(
      check(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory.get(), 0, 0), "binding a picture"));
  TOOLS_TRY(check(ANeuralNetworksExecution_compute(execution.get()), "converting a picture"));
  return is_written(info.type) ? std::move(outputs[0]) : encode(decode(outputs[0], tensor), info);
}

}  // namespace nnvk::tools
