// TensorFlow Lite metadata: what the author of a .tflite file says about its inputs and outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nnvk::importers::tflite {

// The description of an input or an output. Everything is optional; the numbers are as the file has them.
struct TensorDescription {
  enum class Content : uint8_t { kUnknown, kFeatures, kPicture, kBoxes };

  std::string name;
  Content content = Content::kUnknown;
  std::vector<uint32_t> box_order{};  // of boxes by their boundaries: the places of left, top, right and bottom
  std::vector<float> means{};         // of pictures: subtracted from pixels, one value or one per channel
  std::vector<float> deviations{};    // the divisors, as many as `means`
  std::string axis_labels{};          // the packed file that names the places along the last dimension
  std::string value_labels{};         // the packed file that names the values
};

struct Metadata {
  std::vector<TensorDescription> inputs;
  std::vector<TensorDescription> outputs;
};

// Reads the metadata of a file. The result is empty if the file is no .tflite file, has no metadata, or if these are damaged.
std::optional<Metadata> read_metadata(const std::vector<uint8_t>& file);

}  // namespace nnvk::importers::tflite
