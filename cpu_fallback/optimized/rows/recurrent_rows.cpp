#include "cpu_fallback/optimized/rows/recurrent_rows.h"

#include <algorithm>
#include <cstring>

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

// Rows that are multiplied together, so that each weight is read once for them. Their sums need 4 * kGroupRows registers.
constexpr size_t kGroupRows = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 4 : 2;

// Computes kVectors vectors of a panel for kRows rows. Sums of even and odd inputs are apart, so that no addition waits for the
// one before it.
template <size_t kRows, size_t kVectors>
struct PanelSums {
  Units even[kRows][kVectors];
  Units odd[kRows][kVectors];

  HWY_INLINE void add(const RecurrentFactors& factors, size_t first_row, const float* weights) {
    const UnitLanes lanes;
    const size_t n = hn::Lanes(lanes);
    const float* const values = factors.values + first_row * factors.stride;
    const auto add_one = [&](Units(*sums)[kVectors], size_t k) HWY_ATTR {
      Units weight[kVectors];
      for (size_t v = 0; v < kVectors; ++v) weight[v] = hn::LoadU(lanes, weights + k * kPanelColumns + v * n);
      for (size_t r = 0; r < kRows; ++r) {
        const Units value = hn::Set(lanes, values[r * factors.stride + k]);
        for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(value, weight[v], sums[r][v]);
      }
    };
    size_t k = 0;
    for (; k + 2 <= factors.size; k += 2) {
      add_one(even, k);
      add_one(odd, k + 1);
    }
    if (k < factors.size) add_one(even, k);
  }
};

template <size_t kRows, size_t kVectors>
HWY_INLINE void multiply_rows(const RecurrentPanels& weights, const RecurrentProduct& p, size_t panel, size_t first_row) {
  const UnitLanes lanes;
  const size_t n = hn::Lanes(lanes);
  for (size_t column = 0; column < kPanelColumns; column += kVectors * n) {
    const size_t at = panel * kPanelColumns + column;
    PanelSums<kRows, kVectors> sums;
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t v = 0; v < kVectors; ++v) {
        sums.even[r][v] = hn::LoadU(lanes, p.start + (first_row + r) * p.start_stride + at + v * n);
        sums.odd[r][v] = hn::Zero(lanes);
      }
    }
    const float* begin = weights.panel(panel) + column;
    for (const RecurrentFactors& factors : p.factors) {
      sums.add(factors, first_row, begin);
      begin += factors.size * kPanelColumns;
    }
    for (size_t r = 0; r < kRows; ++r) {
      float* const to = p.sums + (first_row + r) * p.sums_stride + at;
      for (size_t v = 0; v < kVectors; ++v) hn::StoreU(hn::Add(sums.even[r][v], sums.odd[r][v]), lanes, to + v * n);
    }
  }
}

void multiply(const RecurrentPanels& weights, const RecurrentProduct& p, size_t first_panel, size_t end_panel) {
  for (size_t panel = first_panel; panel < end_panel; ++panel) {
    size_t row = 0;
    for (; row + kGroupRows <= p.rows; row += kGroupRows) multiply_rows<kGroupRows, 2>(weights, p, panel, row);
    for (; row < p.rows; ++row) multiply_rows<1, 4>(weights, p, panel, row);
  }
}

// Returns the activation of x. NaN stays NaN.
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

// Calls function(first unit, values, mask of the existing units) for each vector; lanes behind the last unit may hold anything.
template <class Function>
HWY_INLINE void for_units(const LstmStep& step, const float* values, const Function& function) {
  const UnitLanes lanes;
  const size_t n = hn::Lanes(lanes);
  for (size_t u = 0; u < step.units; u += n) {
    function(u, hn::LoadU(lanes, values + u), hn::FirstN(lanes, std::min(n, step.units - u)));
  }
}

// Adds the peephole's part, scales to mean 0 and variance 1, then applies gain and bias. Does nothing without layer
// normalization.
void normalize(const LstmStep& step, const LstmGate& gate) {
  if (gate.gain == nullptr || gate.sums == nullptr) return;
  const UnitLanes lanes;
  const auto count = static_cast<float>(step.units);
  Units sum = hn::Zero(lanes);
  for_units(step, gate.sums, [&](size_t u, Units x, auto is_there) HWY_ATTR {
    if (gate.peephole != nullptr) x = hn::Add(x, hn::Mul(hn::LoadU(lanes, gate.peephole + u), hn::LoadU(lanes, step.cell + u)));
    hn::StoreU(x, lanes, gate.sums + u);
    sum = hn::Add(sum, hn::IfThenElseZero(is_there, x));
  });
  const Units mean = hn::Set(lanes, hn::GetLane(hn::SumOfLanes(lanes, sum)) / count);
  Units squares = hn::Zero(lanes);
  for_units(step, gate.sums, [&](size_t, Units x, auto is_there) HWY_ATTR {
    const Units deviation = hn::IfThenElseZero(is_there, hn::Sub(x, mean));
    squares = hn::MulAdd(deviation, deviation, squares);
  });
  const float variance = hn::GetLane(hn::SumOfLanes(lanes, squares)) / count;
  const Units scale = hn::Div(hn::Set(lanes, 1.0F), hn::Sqrt(hn::Set(lanes, variance + 1e-8F)));
  for_units(step, gate.sums, [&](size_t u, Units x, auto) HWY_ATTR {
    const Units normal = hn::Mul(hn::Sub(x, mean), scale);
    hn::StoreU(hn::MulAdd(normal, hn::LoadU(lanes, gate.gain + u), hn::LoadU(lanes, gate.bias + u)), lanes, gate.sums + u);
  });
}

void step_cell(const LstmStep& step) {
  const UnitLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const Units limit = hn::Set(lanes, step.cell_clip);
  const LstmGate& input_gate = step.gates[kLstmInputGate];
  const LstmGate& forget_gate = step.gates[kLstmForgetGate];
  const LstmGate& candidate_gate = step.gates[kLstmCellGate];
  const LstmGate& output_gate = step.gates[kLstmOutputGate];
  const auto activated_gate = [&](const LstmGate& gate, size_t u, Units cell) HWY_ATTR {
    const Units sum = hn::LoadU(lanes, gate.sums + u);
    const bool looks = gate.peephole != nullptr && gate.gain == nullptr;
    return logistic(lanes, looks ? hn::Add(sum, hn::Mul(hn::LoadU(lanes, gate.peephole + u), cell)) : sum);
  };
  normalize(step, input_gate);
  normalize(step, forget_gate);
  normalize(step, candidate_gate);
  for (size_t u = 0; u < step.units; u += n) {
    const Units before = hn::LoadU(lanes, step.cell + u);
    const Units forget = activated_gate(forget_gate, u, before);
    const Units input =
        input_gate.sums != nullptr ? activated_gate(input_gate, u, before) : hn::Sub(hn::Set(lanes, 1.0F), forget);
    const Units candidate = activated(step.activation, hn::LoadU(lanes, candidate_gate.sums + u));
    Units cell = hn::Add(hn::Mul(forget, before), hn::Mul(input, candidate));
    if (step.cell_clip > 0.0F) cell = hn::Min(limit, hn::Max(hn::Neg(limit), cell));
    hn::StoreU(cell, lanes, step.cell + u);
  }
  normalize(step, output_gate);  // sees the new cell state
  for (size_t u = 0; u < step.units; u += n) {
    const Units cell = hn::LoadU(lanes, step.cell + u);
    hn::StoreU(hn::Mul(activated_gate(output_gate, u, cell), activated(step.activation, cell)), lanes, step.hidden + u);
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
    // A client's constants may lie at any address.
    for (size_t k = 0; k < size; ++k) std::memcpy(to + k * kPanelColumns, matrix.data() + u * size + k, sizeof(float));
  }
}

void multiply_panels(const RecurrentPanels& weights, const RecurrentProduct& product, size_t first_panel, size_t end_panel) {
  HWY_DYNAMIC_DISPATCH(multiply)(weights, product, first_panel, end_panel);
}

void step_lstm(const LstmStep& step) { HWY_DYNAMIC_DISPATCH(step_cell)(step); }

void activate(RecurrentActivation activation, float* values, size_t count) {
  HWY_DYNAMIC_DISPATCH(activate_units)(activation, values, count);
}

}  // namespace nnvk::cpu
#endif
