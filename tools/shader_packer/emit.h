// Writes the generated C++: kernel_table.h, kernel_table.cpp, and <family>_kernels.h and spirv_<family>.cpp per family. So a new
// kernel recompiles only the users of its family. Pure text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/shader_packer/manifest.h"
#include "tools/shader_packer/reflect.h"

namespace nnvk::shader_packer {

// A kernel after compilation: its manifest entry, its reflection and the SPIR-V of its variants.
struct PackedKernel {
  const Family* family = nullptr;                   // not owned
  const Kernel* kernel = nullptr;                   // not owned
  Reflection reflection = {};                       // of the words variant
  std::vector<std::string> constant_types = {};     // of Kernel::specialization, see ReflectedConstant::type
  std::vector<std::vector<uint32_t>> modules = {};  // one per Kernel::variants
};

// Hash of a kernel's name; pack() rejects kernels with equal ids.
uint32_t kernel_id(const std::string& name);
// Declares KernelId, KernelVariant, KernelFeature, KernelInfo, kernel_info() and all_kernels().
std::string kernel_table_header();
// For the kernels of one family: the struct kernels::<Name> with the names and types of the kernel's arguments, and the constant
// kernels::k<Name>.
std::string family_header(const std::string& family, const std::vector<PackedKernel>& kernels);
// The table, and static_asserts that every params struct has the size and offsets that the shaders see.
std::string kernel_table_source(const std::vector<PackedKernel>& kernels);
// SPIR-V of one family as arrays.
std::string spirv_source(const std::string& family, const std::vector<PackedKernel>& kernels);

}  // namespace nnvk::shader_packer
