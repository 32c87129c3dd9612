// The names of things that are kept from one process to the next: hashes over all that they depend on.
#pragma once

#include <android/NeuralNetworks.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "importers/imported_model.h"
#include "tools/nnapi/devices.h"

namespace nnvk::importers {

using CacheToken = std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN>;

// Names a compilation in NNAPI's cache. Returns the SHA-256 of the NNAPI model with its constants and the models of its control
// flow, the precision and the devices. Names of tensors and operators do not count. `automatic`: the library chooses among the
// devices.
CacheToken cache_token(const ImportedModel& model, bool relaxed, std::span<const tools::DeviceEntry> devices, bool automatic);

// Returns the SHA-256 of a list of texts.
CacheToken text_token(std::span<const std::string> texts);

}  // namespace nnvk::importers
