// Entry points: the library and its devices.
#include <algorithm>
#include <string>

#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "api/instance.h"

using namespace nnvk;
using namespace nnvk::api;

int64_t ANeuralNetworks_getRuntimeFeatureLevel() { return kRuntimeFeatureLevel; }

uint64_t ANeuralNetworks_getDefaultLoopTimeout() { return static_cast<uint64_t>(Request().loop_timeout.count()); }

uint64_t ANeuralNetworks_getMaximumLoopTimeout() { return kMaximumLoopTimeoutNanoseconds; }

int ANeuralNetworks_getDeviceCount(uint32_t* numDevices) {
  return call(__func__, {NNVK_ARGUMENT(numDevices)}, [&]() -> Status {
    *numDevices = static_cast<uint32_t>(instance().devices().size());
    return {};
  });
}

int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice** device) {
  return call(__func__, {NNVK_ARGUMENT(device)}, [&]() -> Status {
    const auto& devices = instance().devices();
    if (devIndex >= devices.size()) {
      return fail(Code::kBadData,
                  "device " + std::to_string(devIndex) + " does not exist; there are " + std::to_string(devices.size()));
    }
    *device = devices[devIndex];
    return {};
  });
}

int nnvk_findDevice(const char* name, ANeuralNetworksDevice** device) {
  return call(__func__, {NNVK_ARGUMENT(name), NNVK_ARGUMENT(device)}, [&]() -> Status {
    *device = instance().find(name);
    return {};
  });
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name) {
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(name)}, [&]() -> Status {
    *name = device->device->info().name.c_str();
    return {};
  });
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice* device, const char** version) {
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(version)}, [&]() -> Status {
    *version = device->device->info().version.c_str();
    return {};
  });
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* device, int32_t* type) {
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(type)}, [&]() -> Status {
    const auto value = static_cast<int32_t>(device->device->info().type);
    if (value < 0) return fail(Code::kOpFailed, "the device reports no valid type");
    *type = value;
    return {};
  });
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice* device, int64_t* featureLevel) {
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(featureLevel)}, [&]() -> Status {
    const int64_t level = device->device->info().feature_level;
    if (level <= 0) return fail(Code::kBadState, "the feature level of the device is not known");
    *featureLevel = std::min(level, kRuntimeFeatureLevel);
    return {};
  });
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice* device) {
  return call(__func__, {NNVK_ARGUMENT(device)}, [&]() -> Status {
    return {};  // devices live in this process; they are ready as long as they exist
  });
}

int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice* device, const char* extensionName,
                                              bool* isExtensionSupported) {
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(extensionName), NNVK_ARGUMENT(isExtensionSupported)},
              [&]() -> Status {
                const auto& extensions = device->device->info().extensions;
                *isExtensionSupported = std::any_of(extensions.begin(), extensions.end(),
                                                    [&](const ExtensionDescription& e) { return e.name == extensionName; });
                return {};
              });
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel* model,
                                                          const ANeuralNetworksDevice* const* devices, uint32_t numDevices,
                                                          bool* supportedOps) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(devices), NNVK_ARGUMENT(supportedOps)}, [&]() -> Status {
    if (numDevices == 0) return fail(Code::kBadData, "numDevices must be above 0, but is 0");
    NNVK_TRY(model->model.require_finished());
    std::fill(supportedOps, supportedOps + model->model.operations().size(), false);
    NNVK_ASSIGN(const auto list, device_list(devices, numDevices));
    const std::vector<bool> supported = supported_operations(model->model, list.devices);
    std::copy(supported.begin(), supported.end(), supportedOps);
    return {};
  });
}
