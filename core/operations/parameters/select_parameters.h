// The operands of SELECT, which takes an element of the first tensor if the mask is not 0, else of the second.
#pragma once

#include <cstddef>

namespace nnvk {

namespace select {
enum Input : size_t { kMask, kFirst, kSecond };
enum Output : size_t { kOutput };
}  // namespace select

}  // namespace nnvk
