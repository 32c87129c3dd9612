// What this process holds: what soaks watch.
#pragma once

#include <cstddef>

namespace nnvk::tools {

size_t resident_kilobytes();
size_t open_files();

}  // namespace nnvk::tools
