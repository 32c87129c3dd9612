// A root folder of the plugin's own: an empty tmpfs with what it may see mounted in, and nothing else.
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

// A file or folder with all that is in it.
struct VisiblePath {
  std::string path;  // absolute
  FileAccess access = FileAccess::kRead;
};

// Makes the root of this process consist of these paths, each where it was, as read-only as it says; those that are not there are
// left out. `scratch_bytes`: the size of an empty /tmp; 0: there is none. The process is alone in a namespace of mounts
// and may mount. OP_FAILED names the step that failed; the process is of no use then.
Status enter_own_root(const std::vector<VisiblePath>& paths, uint64_t scratch_bytes);

}  // namespace nnvk::accelerators
