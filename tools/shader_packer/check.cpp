// Applies the rules of shaders/README.md to one module.
#include "tools/shader_packer/check.h"

#include <algorithm>
#include <set>

namespace nnvk::shader_packer {
namespace {

std::string text(const std::array<uint32_t, 3>& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

ResourceKind expected_resource(BindingKind kind, bool reads_texels) {
  switch (kind) {
    case BindingKind::kInput:
      return reads_texels ? ResourceKind::kTexelBuffer : ResourceKind::kReadOnlyWords;
    case BindingKind::kTable:
      return ResourceKind::kReadOnlyWords;
    case BindingKind::kOutput:
      return ResourceKind::kWriteOnlyWords;
    case BindingKind::kInOut:
      return ResourceKind::kWords;
  }
  return ResourceKind::kOther;
}

const char* resource_text(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::kTexelBuffer:
      return "a texel buffer";
    case ResourceKind::kReadOnlyWords:
      return "a read-only storage buffer";
    case ResourceKind::kWriteOnlyWords:
      return "a write-only storage buffer";
    case ResourceKind::kWords:
      return "a read-write storage buffer";
    case ResourceKind::kOther:
      return "something else";
  }
  return "?";
}

void check_bindings(const Kernel& kernel, bool reads_texels, const Reflection& reflection, const std::string& where,
                    std::vector<std::string>& errors) {
  for (size_t i = 0; i < kernel.bindings.size(); ++i) {
    const Binding& wanted = kernel.bindings[i];
    const std::string binding =
        where + ": binding " + std::to_string(i) + " (" + wanted.name + ", " + to_string(wanted.kind) + ")";
    const auto found = std::find_if(reflection.bindings.begin(), reflection.bindings.end(),
                                    [&](const ReflectedBinding& b) { return b.set == 0 && b.binding == i; });
    if (found == reflection.bindings.end()) {
      errors.push_back(binding + " is not in the shader");
      continue;
    }
    if (found->name != wanted.name) errors.push_back(binding + " is called " + found->name + " in the shader");
    const ResourceKind expected = expected_resource(wanted.kind, reads_texels);
    if (found->kind != expected) {
      errors.push_back(binding + " should be " + resource_text(expected) + " but the shader declares " +
                       resource_text(found->kind));
    }
  }
  for (const ReflectedBinding& found : reflection.bindings) {
    if (found.set != 0 || found.binding >= kernel.bindings.size()) {
      errors.push_back(where + ": the shader declares " + found.name + " at set " + std::to_string(found.set) + ", binding " +
                       std::to_string(found.binding) + ", which the manifest does not list");
    }
  }
}

// Checks that a module uses every feature in its manifest, because an unused feature would exclude devices for no reason.
void check_capabilities(const Kernel& kernel, const Variant& variant, const Reflection& reflection, const std::string& where,
                        std::vector<std::string>& errors) {
  std::vector<std::string> allowed = {"Shader", "SampledBuffer"};
  const auto contains = [](const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  for (const auto* features : {&kernel.features, &variant.features}) {
    for (const std::string& feature : *features) {
      const std::vector<std::string>& capabilities = find_feature(feature)->capabilities;
      if (!contains(reflection.capabilities, capabilities.back())) {
        errors.push_back(where + ": lists the feature " + feature + ", which it does not use");
      }
      allowed.insert(allowed.end(), capabilities.begin(), capabilities.end());
    }
  }
  for (const std::string& capability : reflection.capabilities) {
    if (!contains(allowed, capability)) {
      errors.push_back(where + ": needs the capability " + capability + ", which no listed feature permits");
    }
  }
}

}  // namespace

std::vector<std::string> check_module(const Kernel& kernel, const Variant& variant, const Reflection& reflection) {
  std::vector<std::string> errors;
  const std::string where = kernel.source + ", kernel " + kernel.name + " (" + std::string(variant.kind->name) + ")";
  if (reflection.local_size != kernel.local_size) {
    errors.push_back(where + ": local size is " + text(reflection.local_size) + ", the manifest says " + text(kernel.local_size));
  }
  check_bindings(kernel, variant.kind->reads_texels, reflection, where, errors);

  if (reflection.params_struct != kernel.params_struct) {
    errors.push_back(where + ": push constants are \"" + reflection.params_struct + "\", the manifest says \"" +
                     kernel.params_struct + "\" (use NNVK_PARAMS)");
  }
  if (reflection.params_size > 128)
    errors.push_back(where + ": push constants take " + std::to_string(reflection.params_size) +
                     " bytes, at most 128 are portable");

  for (const ReflectedConstant& constant : reflection.specialization) {
    if (constant.id >= kernel.specialization.size()) {
      errors.push_back(where + ": specialization constant " + std::to_string(constant.id) + " (" + constant.name +
                       ") is not in the manifest; list the names in the order of their ids");
    } else if (kernel.specialization[constant.id] != constant.name) {
      errors.push_back(where + ": specialization constant " + std::to_string(constant.id) + " is called " + constant.name +
                       ", the manifest says " + kernel.specialization[constant.id]);
    }
  }

  check_capabilities(kernel, variant, reflection, where, errors);
  return errors;
}

std::vector<std::string> check_variants(const Kernel& kernel, const std::vector<Reflection>& variants) {
  std::vector<std::string> errors;
  for (size_t id = 0; id < kernel.specialization.size(); ++id) {
    std::set<std::string> types;
    for (const Reflection& reflection : variants) {
      for (const ReflectedConstant& constant : reflection.specialization) {
        if (constant.id == id) types.insert(constant.type);
      }
    }
    if (types.size() == 1) continue;
    errors.push_back(kernel.source + ", kernel " + kernel.name + ": specialization constant " + std::to_string(id) + " (" +
                     kernel.specialization[id] + ") is in the manifest but " +
                     (types.empty() ? "in no variant of the shader" : "has several types in its variants"));
  }
  return errors;
}

}  // namespace nnvk::shader_packer
