// Keeps the software Vulkan driver in memory until the process ends: the leak checker can only name (and the suppressions only
// match) allocations of libraries that are still loaded.
#include <dlfcn.h>

namespace {

[[maybe_unused]] void* const kDriver = ::dlopen("libvulkan_lvp.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

}  // namespace
