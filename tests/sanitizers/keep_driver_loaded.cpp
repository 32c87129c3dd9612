// Keeps the software Vulkan driver and the validation layer in memory until the process ends: the leak checker can only name (and
// the suppressions only match) allocations of libraries that are still loaded.
#include <dlfcn.h>

namespace {

void* keep(const char* library) { return ::dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE); }

[[maybe_unused]] void* const kDriver = keep("libvulkan_lvp.so");
[[maybe_unused]] void* const kLayer = keep("libVkLayer_khronos_validation.so");

}  // namespace
