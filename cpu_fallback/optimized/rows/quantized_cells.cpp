#include "cpu_fallback/optimized/rows/quantized_cells.h"

#include "core/base/inverse_square_root.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/rows/quantized_cells.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "cpu_fallback/optimized/vectors/fixed_point_16-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace {

using HalfInts = hn::Rebind<int16_t, IntLanes>;

HWY_INLINE Ints load_ints(const int32_t* from, size_t count) { return load_some(IntLanes(), from, count); }
HWY_INLINE Ints load_ints(const int16_t* from, size_t count) {
  return hn::PromoteTo(IntLanes(), load_some(HalfInts(), from, count));
}
HWY_INLINE void store_16(Ints values, int16_t* to, size_t count) {
  store_some(hn::DemoteTo(HalfInts(), values), HalfInts(), to, count);
}
// Stores `count` values, which are in int8 range.
HWY_INLINE void store_8(Ints values, int8_t* to, size_t count) { store_bytes(values, reinterpret_cast<std::byte*>(to), count); }

// Returns a + b saturated to 16 bits, for any a and a 16-bit b.
HWY_INLINE Ints add_16(Ints a, Ints b) { return clamp_16(hn::Add(clamped(a, -(1 << 17), 1 << 17), b)); }

// Scales the gate, in place, to mean 0 and variance 1, then applies gain, bias and scale.
void normalize(const QuantizedGate& gate) {
  constexpr int64_t kUnit = 1 << 20;
  const IntLanes lanes;
  Ints sum = hn::Zero(lanes);
  Ints high = hn::Zero(lanes);  // sums of the upper and lower halves of the squares
  Ints low = hn::Zero(lanes);
  for_vectors(IntLanes(), gate.units, [&](size_t u, size_t count) HWY_ATTR {
    const Ints value = hn::IfThenElseZero(hn::FirstN(lanes, count), load_ints(gate.values + u, count));
    const Ints square = hn::Mul(value, value);
    sum = hn::Add(sum, value);
    high = hn::Add(high, hn::ShiftRight<16>(square));
    low = hn::Add(low, hn::And(square, ints(0xFFFF)));
  });
  const auto total = [&](Ints values) HWY_ATTR { return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(lanes, values))); };
  const auto count_of_units = static_cast<int64_t>(gate.units);
  const int64_t squares = (total(high) << 16) + total(low);
  const int64_t mean = total(sum) * 1024 / count_of_units;
  const int64_t variance = (squares * (kUnit / count_of_units) - mean * mean) / kUnit;
  const Multipliers inverse = same_multiplier(inverse_square_root(variance < 1 ? 1 : static_cast<uint64_t>(variance)));
  const Multipliers scale = same_multiplier(gate.norm_scale);
  const Ints middle = ints(static_cast<int32_t>(mean));
  for_vectors(IntLanes(), gate.units, [&](size_t u, size_t count) HWY_ATTR {
    const Ints centered = inverse.scale(hn::Sub(hn::ShiftLeft<10>(load_ints(gate.values + u, count)), middle));
    const Ints weighted = hn::Add(hn::Mul(centered, load_ints(gate.gain + u, count)), load_ints(gate.bias + u, count));
    // Adds half a unit away from zero, then rounds toward zero. A positive sum that overflows wraps to a negative one.
    const auto is_positive = hn::Gt(weighted, hn::Zero(lanes));
    const Ints shifted = hn::Add(weighted, hn::IfThenElse(is_positive, ints(512), ints(-512)));
    const Ints up = hn::And(hn::ShiftRight<31>(shifted), ints(1023));
    const Ints rounded = hn::ShiftRight<10>(hn::Add(shifted, up));
    store_some(clamp_16(scale.scale(rounded)), lanes, gate.values + u, count);
  });
}

}  // namespace

void finish_integer_gate(const QuantizedGate& gate) {
  const Multipliers input = same_multiplier(gate.input);
  const Multipliers recurrent = same_multiplier(gate.recurrent);
  const Multipliers peephole = same_multiplier(gate.peephole_scale);
  for_vectors(IntLanes(), gate.units, [&](size_t u, size_t count) HWY_ATTR {
    const Ints x = clamp_16(input.scale(load_ints(gate.input_sums + u, count)));
    Ints value = add_16(recurrent.scale(load_ints(gate.recurrent_sums + u, count)), x);
    if (gate.peephole != nullptr) {
      const Ints product = hn::Mul(load_ints(gate.peephole + u, count), load_ints(gate.cell + u, count));
      value = add_16(peephole.scale(product), value);
    }
    store_some(value, IntLanes(), gate.values + u, count);
  });
  if (gate.gain != nullptr) normalize(gate);
}

void step_integer_cell(const QuantizedCell& cell) {
  for_vectors(IntLanes(), cell.units, [&](size_t u, size_t count) HWY_ATTR {
    const Ints forget = logistic_16(load_ints(cell.forget + u, count), 3);
    const Ints input = cell.input != nullptr ? logistic_16(load_ints(cell.input + u, count), 3) : hn::Sub(ints(32767), forget);
    const Ints candidate = tanh_16(load_ints(cell.candidate + u, count), 3);
    const Ints kept = rounding_shift_right(hn::Mul(forget, load_ints(cell.before + u, count)), 15);
    const Ints added = rounding_shift_right(hn::Mul(input, candidate), 15 + cell.integer_bits);
    store_16(clamped(clamp_16(hn::Add(kept, added)), -cell.clip, cell.clip), cell.after + u, count);
  });
}

void integer_hidden(const QuantizedHidden& p) {
  const Multipliers scale = same_multiplier(p.scale);
  for_vectors(IntLanes(), p.units, [&](size_t u, size_t count) HWY_ATTR {
    const Ints gate = logistic_16(load_ints(p.output + u, count), 3);
    const Ints cell = tanh_16(load_ints(p.cell + u, count), p.integer_bits);
    const Ints value = add_16(scale.scale(hn::Mul(gate, cell)), ints(-p.zero_point));
    store_8(clamped(value, -128, 127), p.hidden + u, count);
  });
}

void integer_projection(const QuantizedProjection& p) {
  const Multipliers scale = same_multiplier(p.scale);
  for_vectors(IntLanes(), p.outputs, [&](size_t r, size_t count) HWY_ATTR {
    const Ints value = clamped(add_16(scale.scale(load_ints(p.sums + r, count)), ints(p.zero_point)), -128, 127);
    store_8(clamped(value, -p.clip, p.clip), p.out + r, count);
  });
}

void step_16bit_units(const Cell16bit& p) {
  const Multipliers scale = same_multiplier(p.scale);
  for_vectors(IntLanes(), p.units, [&](size_t u, size_t count) HWY_ATTR {
    const auto gate = [&](size_t g) HWY_ATTR { return clamp_16(scale.scale(load_ints(p.sums[g] + u, count))); };
    const Ints input = logistic_16(gate(kLstmInputGate), 3);
    const Ints forget = logistic_16(gate(kLstmForgetGate), 3);
    const Ints candidate = tanh_16(gate(kLstmCellGate), 3);
    const Ints output = logistic_16(gate(kLstmOutputGate), 3);
    const Ints added = rounding_shift_right(multiply_16(input, candidate), 4);
    const Ints cell = clamp_16(hn::Add(added, multiply_16(forget, load_ints(p.before + u, count))));
    const Ints hidden = multiply_16(output, tanh_16(shift_left_16(cell, 1), 3));
    store_16(cell, p.after + u, count);
    const Ints value = hn::Add(ints(p.zero_point), clamped(rounding_shift_right(hidden, 8), -128, 127));
    store_bytes(value, reinterpret_cast<std::byte*>(p.out + u), count);
  });
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(finish_integer_gate);
HWY_EXPORT(step_integer_cell);
HWY_EXPORT(integer_hidden);
HWY_EXPORT(integer_projection);
HWY_EXPORT(step_16bit_units);

void finish_quantized_gate(const QuantizedGate& gate) { HWY_DYNAMIC_DISPATCH(finish_integer_gate)(gate); }
void step_quantized_cell(const QuantizedCell& cell) { HWY_DYNAMIC_DISPATCH(step_integer_cell)(cell); }
void store_quantized_hidden(const QuantizedHidden& hidden) { HWY_DYNAMIC_DISPATCH(integer_hidden)(hidden); }
void store_quantized_projection(const QuantizedProjection& projection) { HWY_DYNAMIC_DISPATCH(integer_projection)(projection); }
void step_16bit_cell(const Cell16bit& cell) { HWY_DYNAMIC_DISPATCH(step_16bit_units)(cell); }

}  // namespace nnvk::cpu
#endif
