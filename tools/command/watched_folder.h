// A folder in which other programs put files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

class WatchedFolder {
 public:
  static Result<WatchedFolder> open(const std::filesystem::path& folder);
  ~WatchedFolder();
  WatchedFolder(WatchedFolder&& other) noexcept;
  WatchedFolder& operator=(WatchedFolder&&) = delete;

  // Waits until files have been written and closed, or moved into the folder, and returns them in this order. Returns no file
  // after `milliseconds`, or when a signal arrives. Fails if the folder itself disappears.
  Result<std::vector<std::filesystem::path>> wait(int milliseconds);

 private:
  WatchedFolder(std::filesystem::path folder, int descriptor) : folder_(std::move(folder)), descriptor_(descriptor) {}

  std::filesystem::path folder_;
  int descriptor_ = -1;
};

}  // namespace nnvk::tools
