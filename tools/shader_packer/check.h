// Compares a module's declarations with its manifest. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/shader_packer/manifest.h"
#include "tools/shader_packer/reflect.h"

namespace nnvk::shader_packer {

// Returns one text per mismatch, each naming kernel and variant; empty if the module has what the manifest declares.
std::vector<std::string> check_module(const Kernel& kernel, const Variant& variant, const Reflection& reflection);

// Lists the mismatches that only all variants together show: a constant that no variant declares, or that has different types.
std::vector<std::string> check_variants(const Kernel& kernel, const std::vector<Reflection>& variants);

}  // namespace nnvk::shader_packer
