// Single layers that networks spend their time in, as models: their speed tells how near a device comes to its peak rates.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tools/device_check/result.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/model_builder.h"

namespace nnvk::tools::device_check {

enum class LayerKind : uint8_t { kConvolution, kDepthwise, kFullyConnected, kBatchMatmul };

struct Layer {
  const char* name;  // for readers
  LayerKind kind;
  uint32_t size;      // pixels per side of an image; rows of a matrix
  uint32_t channels;  // of the input, and of the result
  uint32_t filter;    // pixels per side
};

std::span<const Layer> layers();

// The types that every layer is measured in: a tensor type and its name.
struct LayerType {
  const char* name;
  int32_t code;
};
std::span<const LayerType> layer_types();
std::span<const uint32_t> layer_batches();

// Builds the model: one operation with random weights. `batch`: images, or rows of a matrix.
Result<ModelBuilder> layer_model(const Layer& layer, const LayerType& type, uint32_t batch);

// Measures all layers in all types and batches on one device, until `seconds` are over. Returns
// {"layers": [{"layer", "type", "batch", "kernel", "seconds", "operations_per_second", "share_of_ceiling"}], "left_out",
// "errors"}. `ceilings`: the device's description with measured ceilings; without them, shares are missing.
Json measure_layers(const DeviceEntry& device, const Json& description, double seconds);

}  // namespace nnvk::tools::device_check
