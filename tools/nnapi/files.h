// Reads and writes whole files, for every command: each failure is an error that names the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

// The largest files that are read: files that a person writes (labels, lists, waivers, snapshots), any other files, and sources
// whose size is unknown before (pipes, devices).
inline constexpr uint64_t kMostTextBytes = uint64_t{16} << 20;
inline constexpr uint64_t kMostFileBytes = uint64_t{2} << 30;
inline constexpr uint64_t kMostPipeBytes = uint64_t{256} << 20;

// Reads a file or a pipe. Fails if it does not exist, is a folder, holds more than `most` bytes (or has no end), or cannot be
// read. Allocates only for bytes that it has read.
Result<std::vector<uint8_t>> read_file(const std::filesystem::path& path, uint64_t most = kMostFileBytes);
Result<std::string> read_text_file(const std::filesystem::path& path, uint64_t most = kMostTextBytes);

// Replaces the contents of a file. Fails if it cannot be opened, or if the disk is full; its contents are then undefined.
Status write_file(const std::filesystem::path& path, std::span<const uint8_t> bytes);
Status write_file(const std::filesystem::path& path, std::string_view text);

// Returns the error of write_file() if that could not open the file, for example in a folder that does not exist. A new file is
// gone afterwards, and the contents of existing files stay.
Status check_writable(const std::filesystem::path& path);

// Flushes the standard output at the end of the program. Fails if any of the output could not be written.
Status finish_standard_output();

}  // namespace nnvk::tools
