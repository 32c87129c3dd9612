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

// The largest file that is read: one that a person writes (labels, lists, waivers, snapshots), any other file, and a source whose
// size is unknown before (pipes, devices).
inline constexpr uint64_t kMostTextBytes = uint64_t{16} << 20;
inline constexpr uint64_t kMostFileBytes = uint64_t{2} << 30;
inline constexpr uint64_t kMostPipeBytes = uint64_t{256} << 20;

// All bytes of a file or a pipe. Errors: it is not there, it is a folder, it holds more than `most` bytes (files without an end
// too), reading fails. Nothing is allocated for a size that is not read.
Result<std::vector<uint8_t>> read_file(const std::filesystem::path& path, uint64_t most = kMostFileBytes);
Result<std::string> read_text_file(const std::filesystem::path& path, uint64_t most = kMostTextBytes);

// Replaces the contents of a file. Errors: it cannot be opened, the disk is full; its contents are then undefined.
Status write_file(const std::filesystem::path& path, std::span<const uint8_t> bytes);
Status write_file(const std::filesystem::path& path, std::string_view text);

// Ends the standard output: flushes it. An error if any of the output could not be written.
Status finish_standard_output();

}  // namespace nnvk::tools
