// Writes the generated C++: kernel_table.h and kernel_table.cpp, and per family <family>_kernels.h and spirv_<family>.cpp, so
// that a new kernel recompiles only the users of its family. Pure text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/shader_packer/manifest.h"
#include "tools/shader_packer/reflect.h"

namespace nnvk::shader_packer {

// A compiled kernel: its manifest entry, its reflection and the SPIR-V of its variants.
struct PackedKernel {
  const Family* family = nullptr;                   // not owned
  const Kernel* kernel = nullptr;                   // not owned
  Reflection reflection = {};                       // of the words variant
  std::vector<std::string> constant_types = {};     // of Kernel::specialization, see ReflectedConstant::type
  std::vector<std::vector<uint32_t>> modules = {};  // one per Kernel::variants
};

// Returns a kernel's id: the hash of its name. pack() rejects kernels with equal ids.
uint32_t kernel_id(const std::string& name);
// Declares KernelId, KernelVariant, KernelFeature, KernelInfo, kernel_info() and all_kernels().
std::string kernel_table_header();
// Declares for each kernel of the family the struct kernels::<Name>, with its arguments' names and types, and the constant
// kernels::k<Name>.
std::string family_header(const std::string& family, const std::vector<PackedKernel>& kernels);
// Writes the table, and static_asserts that every params struct has the size and offsets that its shaders see.
std::string kernel_table_source(const std::vector<PackedKernel>& kernels);
// Writes the SPIR-V of one family as arrays.
std::string spirv_source(const std::string& family, const std::vector<PackedKernel>& kernels);

}  // namespace nnvk::shader_packer
