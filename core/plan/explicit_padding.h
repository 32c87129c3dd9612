// Convolutions with other padding: rewrites turn them into the signature with explicit padding.
#pragma once

#include <array>

#include "core/operations/parameters/window_parameters.h"
#include "core/plan/plan.h"

namespace nnvk {

// A padding in the order of the signature with explicit padding: left, right, top, bottom. Each number is in elements.
using Padding = std::array<int32_t, 4>;

// Gives the convolution `node` of `plan` this padding. `at` holds the operands of its signature, which may be the implicit one.
void set_explicit_padding(Plan& plan, PlanNode& node, const WindowOperands& at, const Padding& padding);

}  // namespace nnvk
