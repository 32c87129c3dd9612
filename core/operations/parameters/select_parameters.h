// Operands of SELECT: where the mask is not 0 the first tensor counts, else the second.
#pragma once

#include <cstddef>

namespace nnvk {

namespace select {
enum Input : size_t { kMask, kFirst, kSecond };
enum Output : size_t { kOutput };
}  // namespace select

}  // namespace nnvk
