// The factory that ONNX Runtime gets when it loads the library: lists devices and makes providers.
#pragma once

#include <string>

#include "clients/onnxruntime_provider/runtime_api.h"

namespace nnvk::clients::onnxruntime {

class Factory final : public OrtEpFactory {
 public:
  Factory();

 private:
  Status list_devices(const OrtHardwareDevice* const* devices, size_t count, OrtEpDevice** made, size_t most, size_t* number);
};

}  // namespace nnvk::clients::onnxruntime
