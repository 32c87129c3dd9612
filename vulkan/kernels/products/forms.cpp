#include "vulkan/kernels/products/forms.h"

#include <algorithm>

namespace nnvk::vulkan {
namespace {

// Emits the product, with the result in `status`. Returns false if the form does not compute the product.
template <class Choice>
bool emit_in(const ProductForm<Choice>& form, const EmitContext& context, Product& product, Status& status) {
  const std::optional<Choice> choice = choose(form, product.shape, context.traits);
  if (!choice) return false;
  product.label += form.label;
  product.choice = std::string(name_of(form.form)) + ": " + reason_of(*choice, product.shape, context.traits);
  status = form.emit(context, product, *choice);
  return true;
}

}  // namespace

Status emit_in_first_form(const EmitContext& context, Product product) {
  Status status = beyond_device("no form computes products of this type");
  std::apply([&](const auto&... form) { (emit_in(form, context, product, status) || ...); }, kProductForms);
  return status;
}

std::vector<KernelForm> special_product_forms() {
  std::vector<KernelForm> forms;
  const auto add = [&](KernelForm form) {
    if (form != KernelForm::kPlainProducts && std::ranges::find(forms, form) == forms.end()) forms.push_back(form);
  };
  std::apply([&](const auto&... row) { (add(row.form), ...); }, kProductForms);
  return forms;
}

}  // namespace nnvk::vulkan
