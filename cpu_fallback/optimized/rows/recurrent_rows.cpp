// Loops over panels and units. Compiled once per instruction set.
#include "cpu_fallback/optimized/rows/recurrent_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/rows/recurrent_rows.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/exponentials-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using UnitLanes = hn::CappedTag<float, kUnitStep>;
using Units = hn::Vec<UnitLanes>;

// Sums of four vectors of a panel with every second input, so that no sum waits for the one before it.
struct PanelSums {
  Units even[4];
  Units odd[4];

  HWY_INLINE void add(const float* values, size_t count, const float* weights) {
    const UnitLanes lanes;
    const size_t n = hn::Lanes(lanes);
    const auto add_one = [&](Units* sums, size_t k) HWY_ATTR {
      const Units value = hn::Set(lanes, values[k]);
      for (size_t v = 0; v < 4; ++v) sums[v] = hn::MulAdd(value, hn::LoadU(lanes, weights + k * kPanelColumns + v * n), sums[v]);
    };
    size_t k = 0;
    for (; k + 2 <= count; k += 2) {
      add_one(even, k);
      add_one(odd, k + 1);
    }
    if (k < count) add_one(even, k);
  }
};

void multiply(const RecurrentPanels& weights, const RecurrentProduct& p, size_t first_panel, size_t end_panel) {
  const UnitLanes lanes;
  const size_t n = hn::Lanes(lanes);
  for (size_t panel = first_panel; panel < end_panel; ++panel) {
    for (size_t column = 0; column < kPanelColumns; column += 4 * n) {
      const size_t at = panel * kPanelColumns + column;
      PanelSums sums;
      for (size_t v = 0; v < 4; ++v) {
        sums.even[v] = hn::LoadU(lanes, p.start + at + v * n);
        sums.odd[v] = hn::Zero(lanes);
      }
      const float* const begin = weights.panel(panel) + column;
      sums.add(p.first, p.first_size, begin);
      sums.add(p.second, p.second_size, begin + p.first_size * kPanelColumns);
      for (size_t v = 0; v < 4; ++v) hn::StoreU(hn::Add(sums.even[v], sums.odd[v]), lanes, p.sums + at + v * n);
    }
  }
}

// NaN stays NaN.
HWY_INLINE Units activated(RecurrentActivation activation, Units x) {
  const UnitLanes lanes;
  const auto clamped = [&](float lo, float hi) HWY_ATTR { return hn::Min(hn::Set(lanes, hi), hn::Max(hn::Set(lanes, lo), x)); };
  switch (activation) {
    case RecurrentActivation::kNone:
      break;
    case RecurrentActivation::kRelu:
      return hn::IfThenElse(hn::Lt(x, hn::Zero(lanes)), hn::Zero(lanes), x);
    case RecurrentActivation::kRelu1:
      return clamped(-1.0F, 1.0F);
    case RecurrentActivation::kRelu6:
      return clamped(0.0F, 6.0F);
    case RecurrentActivation::kTanh:
      return hyperbolic_tangent(lanes, x);
    case RecurrentActivation::kSigmoid:
      return logistic(lanes, x);
  }
  return x;
}

void step_cell(const LstmGates& g) {
  const UnitLanes lanes;
  const Units limit = hn::Set(lanes, g.cell_clip);
  for (size_t u = 0; u < g.units; u += hn::Lanes(lanes)) {
    const Units before = hn::LoadU(lanes, g.cell + u);
    const auto gate = [&](const float* sums, const float* peephole, Units cell) HWY_ATTR {
      const Units sum = hn::LoadU(lanes, sums + u);
      return logistic(lanes, peephole != nullptr ? hn::Add(sum, hn::Mul(hn::LoadU(lanes, peephole + u), cell)) : sum);
    };
    const Units forget = gate(g.forget, g.forget_peephole, before);
    const Units input = g.input != nullptr ? gate(g.input, g.input_peephole, before) : hn::Sub(hn::Set(lanes, 1.0F), forget);
    const Units candidate = activated(g.activation, hn::LoadU(lanes, g.candidate + u));
    Units cell = hn::Add(hn::Mul(forget, before), hn::Mul(input, candidate));
    if (g.cell_clip > 0.0F) cell = hn::Min(limit, hn::Max(hn::Neg(limit), cell));
    hn::StoreU(cell, lanes, g.cell + u);
    const Units output = gate(g.output, g.output_peephole, cell);  // sees the new cell state
    hn::StoreU(hn::Mul(output, activated(g.activation, cell)), lanes, g.hidden + u);
  }
}

void activate_units(RecurrentActivation activation, float* values, size_t count) {
  const UnitLanes lanes;
  for (size_t u = 0; u < count; u += hn::Lanes(lanes)) {
    hn::StoreU(activated(activation, hn::LoadU(lanes, values + u)), lanes, values + u);
  }
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(multiply);
HWY_EXPORT(step_cell);
HWY_EXPORT(activate_units);

RecurrentPanels::RecurrentPanels(size_t inputs, size_t columns)
    : inputs_(inputs),
      panels_((columns + kPanelColumns - 1) / kPanelColumns),
      weights_(zeros(inputs_ * panels_ * kPanelColumns)) {}

void RecurrentPanels::put(std::span<const float> matrix, size_t units, size_t first_input, size_t first_column) {
  const size_t size = units == 0 ? 0 : matrix.size() / units;
  for (size_t u = 0; u < units; ++u) {
    const size_t column = first_column + u;
    float* const to = weights_.data() + (column / kPanelColumns * inputs_ + first_input) * kPanelColumns + column % kPanelColumns;
    for (size_t k = 0; k < size; ++k) to[k * kPanelColumns] = matrix[u * size + k];
  }
}

void multiply_panels(const RecurrentPanels& weights, const RecurrentProduct& product, size_t first_panel, size_t end_panel) {
  HWY_DYNAMIC_DISPATCH(multiply)(weights, product, first_panel, end_panel);
}

void step_lstm(const LstmGates& gates) { HWY_DYNAMIC_DISPATCH(step_cell)(gates); }

void activate(RecurrentActivation activation, float* values, size_t count) {
  HWY_DYNAMIC_DISPATCH(activate_units)(activation, values, count);
}

}  // namespace nnvk::cpu
#endif
