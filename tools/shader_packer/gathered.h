// The form of a kernel for devices with few storage buffers: a single buffer holds everything that the kernel reads. Pure.
#pragma once

#include <optional>

#include "tools/shader_packer/manifest.h"

namespace nnvk::shader_packer {

// Every Vulkan device lets a shader use at least this many storage buffers.
constexpr size_t kLeastStorageBuffers = 4;

// Returns the kernel <Name>Gathered of the same source: binding 0 holds the inputs and tables in their order, and outputs follow.
// Returns nothing if every variant of the kernel works without it. Throws std::runtime_error if even this form has too many
// bindings.
std::optional<Kernel> gathered_form(const Kernel& kernel);

// Inserts the gathered forms after the kernels that need them, and stores their names in Kernel::gathered.
void add_gathered_forms(std::vector<Family>& families);

}  // namespace nnvk::shader_packer
