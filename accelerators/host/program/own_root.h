// The plugin's own root folder: an empty tmpfs in which only the visible paths are mounted.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace nnvk::accelerators {

enum class FileAccess : uint8_t {
  kRead,    // and map as code
  kWrite,   // also change, make and remove
  kDevice,  // a device node: open for reading and writing, and ioctl
};

// A file, or a folder with all its contents.
struct VisiblePath {
  std::string path;  // absolute
  FileAccess access = FileAccess::kRead;
};

// Replaces the root of this process by these paths, each at its old place and with its FileAccess. Skips missing paths.
// `scratch_bytes`: the size of an empty /tmp; 0: none. The process must be alone in a mount namespace and may mount. OP_FAILED
// names the failed step; the process is unusable then.
Status enter_own_root(const std::vector<VisiblePath>& paths, uint64_t scratch_bytes);

}  // namespace nnvk::accelerators
