// The name of a compilation in NNAPI's cache: a hash over the model, the devices and the precision.
#pragma once

#include <android/NeuralNetworks.h>

#include <array>
#include <cstdint>
#include <span>

#include "importers/imported_model.h"
#include "tools/nnapi/devices.h"

namespace nnvk::importers {

using CacheToken = std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN>;

// Returns the SHA-256 of the NNAPI model with its constants and the models of its control flow, the precision and the devices.
// Names of tensors and operators do not count. `automatic`: the library chooses among the devices.
CacheToken cache_token(const ImportedModel& model, bool relaxed, std::span<const tools::DeviceEntry> devices, bool automatic);

}  // namespace nnvk::importers
