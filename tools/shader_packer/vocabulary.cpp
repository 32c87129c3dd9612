// The tables of variants and features.
#include "tools/shader_packer/vocabulary.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace nnvk::shader_packer {
namespace {

template <class Kind>
const Kind* find(std::span<const Kind> kinds, std::string_view name) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

std::span<const VariantKind> variant_kinds() {
  static const std::array kinds = {
      VariantKind{"texel", {}, true},
      VariantKind{"words", {"NNVK_WORDS"}, false},
  };
  return kinds;
}

std::span<const FeatureKind> feature_kinds() {
  static const std::array kinds = {
      FeatureKind{"subgroup_shuffle", {"GroupNonUniform", "GroupNonUniformShuffle"}},
      FeatureKind{"subgroup_arithmetic", {"GroupNonUniform", "GroupNonUniformArithmetic"}},
      FeatureKind{"float16", {"Float16"}},
      FeatureKind{"int8", {"Int8"}},
      FeatureKind{"int16", {"Int16"}},
      FeatureKind{"int64", {"Int64"}},
      FeatureKind{"storage8", {"StorageBuffer8BitAccess"}},
      FeatureKind{"storage16", {"StorageBuffer16BitAccess"}},
      FeatureKind{"dot_product", {"DotProduct", "DotProductInput4x8BitPacked"}},
      FeatureKind{"memory_model", {"VulkanMemoryModel"}},
      FeatureKind{"subgroup_size", {}},  // of the pipeline, not of the module
      FeatureKind{"cooperative_matrix", {"GroupNonUniform", "CooperativeMatrix"}},
  };
  return kinds;
}

const VariantKind* find_variant(std::string_view name) { return find(variant_kinds(), name); }
const FeatureKind* find_feature(std::string_view name) { return find(feature_kinds(), name); }

std::string camel_case(std::string_view name) {
  std::string text;
  bool capital = true;
  for (const char c : name) {
    if (c != '_') text += capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    capital = c == '_';
  }
  return text;
}

}  // namespace nnvk::shader_packer
