// What a plugin prints, on its way to the client's standard error output: made harmless for terminals, and not more than a limit.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nnvk::accelerators {

inline constexpr size_t kMostPluginOutput = size_t{4} << 20;  // of one host; a disk is not filled with it

class PluginOutput {
 public:
  // What the plugin wrote next.
  void add(std::string_view text);
  // What is to be written, and that its first `bytes` have been.
  std::string_view pending() const { return pending_; }
  void written(size_t bytes) { pending_.erase(0, bytes); }

 private:
  std::string pending_;
  size_t taken_ = 0;            // of kMostPluginOutput
  unsigned char previous_ = 0;  // the last byte, perhaps of a sequence that goes on
};

}  // namespace nnvk::accelerators
