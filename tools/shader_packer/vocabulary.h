// The names that all manifests may use: variants of kernels and features of devices. The packer generates the runtime's
// enumerations KernelVariant and KernelFeature from these tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnvk::shader_packer {

// A form of a kernel: a module with the same bindings, parameters, constants and work groups.
struct VariantKind {
  std::string_view name;
  std::vector<std::string> defines;  // added to the kernel's own
  bool reads_texels = false;         // inputs are texel buffers, else storage buffers of words
};

// Returns the variants in order of preference. The last, "words", needs no device feature, and every kernel has it.
std::span<const VariantKind> variant_kinds();
// Returns the variant of this name; null when there is none.
const VariantKind* find_variant(std::string_view name);

// An optional device feature and the SPIR-V capabilities that it permits; the last of these is the reason to request it. Without
// features a module may have only the capabilities Shader and SampledBuffer.
struct FeatureKind {
  std::string_view name;
  std::vector<std::string> capabilities;
};

std::span<const FeatureKind> feature_kinds();
const FeatureKind* find_feature(std::string_view name);

// Writes a name such as "subgroup_shuffle" as C++ does: "SubgroupShuffle".
std::string camel_case(std::string_view name);

}  // namespace nnvk::shader_packer
