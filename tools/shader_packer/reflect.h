// Reads the actual declarations of a SPIR-V module by SPIRV-Cross.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nnvk::shader_packer {

enum class ResourceKind { kTexelBuffer, kReadOnlyWords, kWriteOnlyWords, kWords, kOther };

struct ReflectedBinding {
  uint32_t set = 0;
  uint32_t binding = 0;
  ResourceKind kind = ResourceKind::kOther;
  std::string name;  // without the suffixes that tensor.glsl adds
};

struct ReflectedMember {
  std::string name;
  uint32_t offset = 0;  // bytes
  uint32_t size = 0;    // bytes, of the whole array
};

struct ReflectedConstant {
  uint32_t id = 0;
  std::string name;
  std::string type;            // as C++ has it: "bool", "int32_t", "uint32_t" or "float"
  uint32_t default_value = 0;  // bits
};

struct Reflection {
  std::array<uint32_t, 3> local_size = {1, 1, 1};
  std::vector<ReflectedBinding> bindings;  // sorted; aliases of one binding are merged
  std::string params_struct;               // type name of the push constants; empty: none
  uint32_t params_size = 0;                // bytes
  std::vector<ReflectedMember> params_members;
  std::vector<ReflectedConstant> specialization;  // sorted by id
  std::vector<std::string> capabilities;          // "Shader", "SampledBuffer", ...; "capability N" for unknown ones
};

// Reads the declarations of a module, which must still contain its names. Throws std::runtime_error if the module cannot be
// parsed.
Reflection reflect(const std::vector<uint32_t>& module);

}  // namespace nnvk::shader_packer
