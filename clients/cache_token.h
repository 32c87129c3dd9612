// The name of a compilation in NNAPI's cache: a hash over the model, the devices and the options.
#pragma once

#include <android/NeuralNetworks.h>

#include <array>
#include <cstdint>

#include "clients/device_choice.h"
#include "importers/imported_model.h"

namespace nnvk::clients {

using CacheToken = std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN>;

// SHA-256 of the NNAPI model with its constants, the precision and the devices. Names of tensors and operators do not count.
CacheToken cache_token(const importers::ImportedModel& model, const PluginOptions& options, const DeviceChoice& devices);

}  // namespace nnvk::clients
