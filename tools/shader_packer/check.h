// Compares what a module declares with what its manifest promises. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/shader_packer/manifest.h"
#include "tools/shader_packer/reflect.h"

namespace nnvk::shader_packer {

// Values of "features" in a manifest and the SPIR-V capabilities they permit; beyond them only Shader and SampledBuffer.
//   subgroup_shuffle, subgroup_arithmetic, float16, int8, int16, int64, storage8, storage16
std::vector<std::string> capabilities_of_feature(const std::string& feature);  // empty: unknown feature

// One text per mismatch, each naming kernel and variant; empty when the module keeps the promises.
std::vector<std::string> check_module(const Kernel& kernel, bool texel, const Reflection& reflection);

// Mismatches that only both variants together show: a specialization constant that no variant declares.
std::vector<std::string> check_variants(const Kernel& kernel, const std::vector<Reflection>& variants);

}  // namespace nnvk::shader_packer
