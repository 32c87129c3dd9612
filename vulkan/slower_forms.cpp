#include "vulkan/slower_forms.h"

#include <algorithm>
#include <cmath>

#include "core/runtime/sample_plans.h"
#include "vulkan/inspection/kernel_uses.h"
#include "vulkan/kernels/products/forms.h"

namespace nnvk::vulkan {
namespace {

// A form is slow if products take more than this factor longer with it; nnvk keeps forms that are about as fast.
constexpr double kSlower = 1.05;
// A time in seconds. Calibrations skip products that take longer even at the machine's peak, so that users do not wait long.
constexpr double kLongestProduct = 20e-3;

bool has_same_kernels(const KernelUses& a, const KernelUses& b) {
  return std::ranges::equal(
      a.uses, b.uses, [](const KernelUse& x, const KernelUse& y) { return x.pipeline == y.pipeline && x.groups == y.groups; });
}

bool is_short(const KernelUses& found, const Machine& machine) {
  double products = 0;
  for (const KernelUse& use : found.uses) products += static_cast<double>(use.work.multiply_adds) / use.work.gain;
  return products <= kLongestProduct * peak_multiply_adds(machine);
}

// Returns the products that use different kernels with and without the form.
std::vector<PlanPointer> plans_that_change(const DeviceTraits& with, const DeviceTraits& without,
                                           const HostEvaluator& evaluator) {
  std::vector<PlanPointer> plans;
  for (const PlanPointer& product : product_plans()) {
    const KernelUses found = kernel_uses(product, with, evaluator);
    const KernelUses others = kernel_uses(product, without, evaluator);
    const bool lasts = !is_short(found, with.machine) || !is_short(others, with.machine);
    if (!lasts && !has_same_kernels(found, others)) plans.push_back(product);
  }
  return plans;
}

// Returns the geometric mean of the ratios: no product counts more than another.
double mean_ratio(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::log(a[i] / b[i]);
  return std::exp(sum / static_cast<double>(a.size()));
}

}  // namespace

std::vector<std::byte> kept_bytes(KernelForms forms) {
  const std::string names = names_of(forms);
  const auto bytes = std::as_bytes(std::span(names));
  return {bytes.begin(), bytes.end()};
}

KernelForms kept_forms(std::span<const std::byte> bytes) {
  std::string names(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::erase(names, ' ');
  return kernel_forms_of(names).value_or(KernelForms());
}

Result<KernelForms> find_slower_forms(const DeviceTraits& traits, const HostEvaluator& evaluator, const TimePlans& time) {
  DeviceTraits with = traits;
  with.slower = {};
  for (const KernelForm form : special_product_forms()) {  // best first
    DeviceTraits without = with;
    without.slower.insert(form);
    const std::vector<PlanPointer> plans = plans_that_change(with, without, evaluator);
    if (plans.empty()) continue;
    NNVK_ASSIGN(const std::vector<double> seconds_with, time(with.slower, plans));
    NNVK_ASSIGN(const std::vector<double> seconds_without, time(without.slower, plans));
    if (mean_ratio(seconds_with, seconds_without) > kSlower) with = without;
  }
  return with.slower;
}

std::string describe_slower(KernelForms forms) {
  return forms == KernelForms() ? "" : "leaves out kernels " + names_of(forms) + ": measured to be slower";
}

}  // namespace nnvk::vulkan
