// Which of nnvk's devices stands for which piece of hardware that ONNX Runtime knows. Pure, but for known_devices().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clients/onnxruntime_provider/names.h"
#include "tools/nnapi/devices.h"

namespace nnvk::clients::onnxruntime {

enum class HardwareKind : uint8_t { kCpu, kGpu, kOther };

// A piece of hardware, as ONNX Runtime lists it, or the one behind a device of nnvk.
struct Hardware {
  HardwareKind kind = HardwareKind::kOther;
  uint32_t vendor = 0;  // by PCI, as Vulkan has them too
  uint32_t device = 0;
};

struct KnownDevice {
  std::string name;
  Hardware hardware;
};

// Lists nnvk's devices with their kinds and their PCI vendor and device ids; an id is 0 if the device reports none. Without a GPU
// in the hardware, lists nnvk-cpu alone: Vulkan drivers stay unloaded, because none of their devices could match.
Result<std::vector<KnownDevice>> known_devices(std::span<const Hardware> hardware);

// Returns pairs (index of hardware, index of a known device). GPUs match by vendor and device id, each device once; the first CPU
// matches nnvk-cpu. Software devices such as lavapipe match no hardware.
std::vector<std::pair<size_t, size_t>> match(std::span<const Hardware> hardware, std::span<const KnownDevice> known);

}  // namespace nnvk::clients::onnxruntime
