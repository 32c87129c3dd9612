// Keeps the software Vulkan driver and the validation layer loaded until the process ends. The leak checker can name allocations,
// and match them with suppressions, only for libraries that are still loaded.
#include <dlfcn.h>

namespace {

void* keep(const char* library) { return ::dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE); }

[[maybe_unused]] void* const kDriver = keep("libvulkan_lvp.so");
[[maybe_unused]] void* const kLayer = keep("libVkLayer_khronos_validation.so");

}  // namespace
