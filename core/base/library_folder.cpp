// Asks the dynamic loader for the library's file.
#include "core/base/library_folder.h"

#include <dlfcn.h>

#include <system_error>

namespace nnvk {

std::filesystem::path library_folder() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&library_folder), &here) == 0 || here.dli_fname == nullptr) return {};
  std::error_code error;
  return std::filesystem::canonical(here.dli_fname, error).parent_path();
}

}  // namespace nnvk
