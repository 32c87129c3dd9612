// RANDOM_MULTINOMIAL: samples of classes given by unnormalised log probabilities.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/philox.h"
#include "core/operations/parameters/random_multinomial_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace random_multinomial;

// Returns number `index` of a stream, uniform in [0, 1): 52 random bits from two words.
double uniform(const PhiloxSeed& seed, uint64_t index) {
  const std::array<uint32_t, 4> block = philox_block(seed, index / 2);
  const uint64_t high = block[index % 2 * 2] & 0xFFFFFU;
  return std::bit_cast<double>(uint64_t{0x3FF} << 52 | high << 32 | block[index % 2 * 2 + 1]) - 1.0;
}

// Computes the running sums of exp(logit - largest logit); numbers that are not finite add nothing.
void accumulate(std::span<const float> logits, std::vector<double>& sums) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const float logit : logits) {
    if (std::isfinite(logit)) largest = std::max(largest, static_cast<double>(logit));
  }
  double sum = 0.0;
  for (size_t j = 0; j < logits.size(); ++j) {
    if (std::isfinite(logits[j])) sum += std::exp(static_cast<double>(logits[j]) - largest);
    sums[j] = sum;
  }
}

Status random_multinomial(KernelContext& context) {
  const FloatInput logits(context, kLogits);
  const auto seeds = context.input<int32_t>(kSeeds);
  const auto out = context.output<int32_t>(kSamples);
  const size_t classes = context.operation.shape(kLogits)[1];
  const size_t samples = context.outputs[kSamples].info.shape[1];
  const PhiloxSeed seed = philox_seed(seeds[0], seeds[1]);
  std::vector<double> sums(classes);
  for (size_t row = 0; row < context.operation.shape(kLogits)[0]; ++row) {
    accumulate(logits.values().subspan(row * classes, classes), sums);
    for_each_index(samples, [&](size_t sample) {
      const size_t i = row * samples + sample;
      const auto chosen = std::upper_bound(sums.begin(), sums.end(), uniform(seed, i) * sums.back());
      // A row without a finite logit has no class to choose: it gives the last one.
      out[i] = static_cast<int32_t>(std::min<ptrdiff_t>(chosen - sums.begin(), static_cast<ptrdiff_t>(classes) - 1));
    });
  }
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kRandomMultinomial, random_multinomial}};

}  // namespace

std::span<const KernelRow> random_multinomial_kernels() { return kRows; }

}  // namespace nnvk::cpu
