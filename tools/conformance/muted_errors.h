// Keeps the library from logging calls that fail as they should.
#pragma once

#include <nnvk/diagnostics.h>

namespace nnvk::tools::conformance {

// Mutes the log during its lifetime if `mute` is set. Only one may exist at a time.
class MutedErrors {
 public:
  explicit MutedErrors(bool mute) { nnvk_muteFailedCalls(mute); }
  ~MutedErrors() { nnvk_muteFailedCalls(false); }
  MutedErrors(const MutedErrors&) = delete;
  MutedErrors& operator=(const MutedErrors&) = delete;
};

}  // namespace nnvk::tools::conformance
