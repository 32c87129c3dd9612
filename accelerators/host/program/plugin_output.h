// Filters a plugin's output for the client's standard error output: no control characters, and limited in size. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nnvk::accelerators {

inline constexpr size_t kMostPluginOutput = size_t{4} << 20;  // of one host, so that it cannot fill a disk

class PluginOutput {
 public:
  // Adds the next output of the plugin.
  void add(std::string_view text);
  // pending() returns the text that is not written yet; `written()` removes its first `bytes`.
  std::string_view pending() const { return pending_; }
  void written(size_t bytes) { pending_.erase(0, bytes); }

 private:
  std::string pending_;
  size_t taken_ = 0;            // of kMostPluginOutput
  unsigned char previous_ = 0;  // the last byte, perhaps of a sequence that goes on
};

}  // namespace nnvk::accelerators
