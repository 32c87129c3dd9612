// Compares a module's declarations with its manifest. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/shader_packer/manifest.h"
#include "tools/shader_packer/reflect.h"

namespace nnvk::shader_packer {

// One text per mismatch, each naming kernel and variant; empty when the module keeps the promises.
std::vector<std::string> check_module(const Kernel& kernel, const Variant& variant, const Reflection& reflection);

// Mismatches that only all variants together show: a specialization constant that no variant declares, or with different types.
std::vector<std::string> check_variants(const Kernel& kernel, const std::vector<Reflection>& variants);

}  // namespace nnvk::shader_packer
