// Derives gathered forms.
#include "tools/shader_packer/gathered.h"

#include <algorithm>
#include <stdexcept>

namespace nnvk::shader_packer {

std::optional<Kernel> gathered_form(const Kernel& kernel) {
  if (kernel.bindings.size() <= kLeastStorageBuffers) return std::nullopt;  // of the words variant, which has the most
  Kernel form = kernel;
  form.name += "Gathered";
  form.derived = true;
  form.variants = {kernel.variants.back()};
  form.bindings = {{"gathered", BindingKind::kTable}};
  form.defines.emplace_back("NNVK_GATHERED");
  size_t inputs = 0;
  for (size_t slot = 0; slot < kernel.bindings.size(); ++slot) {
    const Binding& binding = kernel.bindings[slot];
    const bool read = binding.kind == BindingKind::kInput || binding.kind == BindingKind::kTable;
    const std::string number = std::to_string(slot);
    form.defines.push_back(read ? "NNVK_INPUT_" + number + "=" + std::to_string(inputs++)
                                : "NNVK_BINDING_" + number + "=" + std::to_string(form.bindings.size()));
    if (!read) form.bindings.push_back(binding);
  }
  if (form.bindings.size() > kLeastStorageBuffers) {
    throw std::runtime_error(kernel.source + ", kernel " + kernel.name + ": writes " + std::to_string(form.bindings.size() - 1) +
                             " buffers; at most " + std::to_string(kLeastStorageBuffers - 1) +
                             " leave a buffer for the inputs on every device: split it into dispatches");
  }
  return form;
}

void add_gathered_forms(std::vector<Family>& families) {
  for (Family& family : families) {
    std::vector<Kernel> kernels;
    for (Kernel& kernel : family.kernels) {
      auto form = gathered_form(kernel);
      if (form) kernel.gathered = form->name;
      kernels.push_back(std::move(kernel));
      if (form) kernels.push_back(*std::move(form));
    }
    family.kernels = std::move(kernels);
  }
}

}  // namespace nnvk::shader_packer
