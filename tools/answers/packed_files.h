// Files that are packed into another one: a .tflite file may end with a zip archive that holds the labels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nnvk::tools::answers {

// Returns the contents of a file of the archive at the end of `file`, stored or deflated, up to 16 MiB. The result is empty if
// there is no archive, if it has no such file, or if it is damaged.
std::optional<std::string> packed_file(std::span<const uint8_t> file, std::string_view name);

}  // namespace nnvk::tools::answers
