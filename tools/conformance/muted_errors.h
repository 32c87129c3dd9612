// Keeps the library from logging calls that fail as they should.
#pragma once

#include <nnvk/diagnostics.h>

namespace nnvk::tools::conformance {

// While it lives, and when `mute` is set. Not for two at a time.
class MutedErrors {
 public:
  explicit MutedErrors(bool mute) { nnvk_muteFailedCalls(mute); }
  ~MutedErrors() { nnvk_muteFailedCalls(false); }
  MutedErrors(const MutedErrors&) = delete;
  MutedErrors& operator=(const MutedErrors&) = delete;
};

}  // namespace nnvk::tools::conformance
