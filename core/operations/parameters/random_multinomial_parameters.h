// The operands of RANDOM_MULTINOMIAL: logits [batches, classes], two seeds, samples [batches, samples].
#pragma once

#include <cstddef>

namespace nnvk {

namespace random_multinomial {
enum Input : size_t { kLogits, kSampleCount, kSeeds };
enum Output : size_t { kSamples };
}  // namespace random_multinomial

}  // namespace nnvk
