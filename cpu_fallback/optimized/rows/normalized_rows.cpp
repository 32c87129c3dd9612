#include "cpu_fallback/optimized/rows/normalized_rows.h"

#include <algorithm>

#include "core/base/inverse_square_root.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/rows/normalized_rows.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace {

// Returns the sum of (x - mean)^p for p of 1 or 2.
template <int kPower>
HWY_INLINE float sum_of_row(const float* in, size_t size, float mean) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const Floats middle = hn::Set(lanes, mean);
  const auto term = [&](Floats x) HWY_ATTR {
    const Floats deviation = hn::Sub(x, middle);
    return kPower == 1 ? deviation : hn::Mul(deviation, deviation);
  };
  Floats sum[2] = {hn::Zero(lanes), hn::Zero(lanes)};
  size_t i = 0;
  for (; i + 2 * n <= size; i += 2 * n) {
    sum[0] = hn::Add(sum[0], term(hn::LoadU(lanes, in + i)));
    sum[1] = hn::Add(sum[1], term(hn::LoadU(lanes, in + i + n)));
  }
  for (; i < size; i += n) {
    const size_t some = std::min(n, size - i);
    const Floats rest = term(load_some(lanes, in + i, some));
    sum[0] = hn::Add(sum[0], hn::IfThenElseZero(hn::FirstN(lanes, some), rest));
  }
  return hn::GetLane(hn::SumOfLanes(lanes, hn::Add(sum[0], sum[1])));
}

HWY_INLINE Floats root_of(float x) { return hn::Sqrt(hn::Set(FloatLanes(), x)); }

struct Instance {
  Floats mean, gamma, sigma, beta;
  HWY_INLINE Floats operator()(Floats x) const { return hn::Add(hn::Div(hn::Mul(hn::Sub(x, mean), gamma), sigma), beta); }
};

}  // namespace

void l2_rows(const FloatRows& p, size_t first, size_t end) {
  const FloatLanes lanes;
  for (size_t row = first; row < end; ++row) {
    const float* in = p.in + row * p.size;
    const Floats norm = greater(root_of(sum_of_row<2>(in, p.size, 0.0F)), hn::Set(lanes, 1e-6F));
    map_array(lanes, in, p.out + row * p.size, p.size, [norm](Floats x) HWY_ATTR { return hn::Div(x, norm); });
  }
}

void l2_byte_rows(const ByteRows& p, size_t first, size_t end) {
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const ByteReader bytes(p.is_signed, p.zero_point);
  const Ints lo = hn::Set(lanes, -128);
  const Ints hi = hn::Set(lanes, 127);
  const Ints zero = hn::Set(lanes, p.is_signed ? 0 : 128);
  for (size_t row = first; row < end; ++row) {
    const std::byte* in = p.in + row * p.size;
    Ints squares = hn::Zero(lanes);
    for (size_t i = 0; i < p.size; i += n) {
      const size_t some = std::min(n, p.size - i);
      const Ints difference = hn::IfThenElseZero(hn::FirstN(lanes, some), bytes.load(in + i, some));
      squares = hn::Add(squares, hn::Mul(difference, difference));
    }
    const auto sum = static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(lanes, squares)));
    // As in the reference, the multiplier of signed values contains the factor 128; unsigned values are multiplied by 128 before.
    FixedPointMultiplier m = inverse_square_root(sum);
    const int shift = p.is_signed ? 0 : 7;
    if (p.is_signed) m.exponent += 7;
    const Multipliers scale = same_multiplier(m);
    for (size_t i = 0; i < p.size; i += n) {
      const size_t some = std::min(n, p.size - i);
      const Ints value = scale.scale(hn::ShiftLeftSame(bytes.load(in + i, some), shift));
      store_bytes(hn::Add(hn::Min(hn::Max(value, lo), hi), zero), p.out + row * p.size + i, some);
    }
  }
}

void l2_columns(const FloatRows& p, size_t step, size_t first, size_t end) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  for (size_t column = first; column < end; column += n) {
    const size_t some = std::min(n, end - column);
    const auto load = [&](size_t i) HWY_ATTR { return load_some(lanes, p.in + i * step + column, some); };
    Floats sum = hn::Zero(lanes);
    for (size_t i = 0; i < p.size; ++i) sum = hn::Add(sum, hn::Mul(load(i), load(i)));
    const Floats norm = greater(hn::Sqrt(sum), hn::Set(lanes, 1e-6F));
    for (size_t i = 0; i < p.size; ++i) store_some(hn::Div(load(i), norm), lanes, p.out + i * step + column, some);
  }
}

// Normalizes slices that lie side by side. It scales signed values, too, by a rounded product with 128 * difference: the other
// formula is for slices along the last axis.
void l2_byte_columns(const ByteRows& p, size_t step, size_t first, size_t end) {
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const ByteReader bytes(p.is_signed, p.zero_point);
  const Ints lo = hn::Set(lanes, -128);
  const Ints hi = hn::Set(lanes, 127);
  const Ints zero = hn::Set(lanes, p.is_signed ? 0 : 128);
  for (size_t column = first; column < end; column += n) {
    const size_t some = std::min(n, end - column);
    const auto load = [&](size_t i) HWY_ATTR { return bytes.load(p.in + i * step + column, some); };
    Ints squares = hn::Zero(lanes);
    for (size_t i = 0; i < p.size; ++i) squares = hn::Add(squares, hn::Mul(load(i), load(i)));
    HWY_ALIGN int32_t sums[HWY_MAX_BYTES / sizeof(int32_t)];
    HWY_ALIGN int32_t mantissas[HWY_MAX_BYTES / sizeof(int32_t)] = {};
    HWY_ALIGN int32_t shifts[HWY_MAX_BYTES / sizeof(int32_t)] = {};
    hn::Store(squares, lanes, sums);
    for (size_t lane = 0; lane < some; ++lane) {
      const FixedPointMultiplier m = inverse_square_root(static_cast<uint32_t>(sums[lane]));
      mantissas[lane] = m.mantissa;
      shifts[lane] = -m.exponent;
    }
    const Multipliers scale(hn::Load(lanes, mantissas), hn::Zero(lanes), hn::Load(lanes, shifts));
    for (size_t i = 0; i < p.size; ++i) {
      const Ints value = scale.scale(hn::ShiftLeft<7>(load(i)));
      store_bytes(hn::Add(hn::Min(hn::Max(value, lo), hi), zero), p.out + i * step + column, some);
    }
  }
}

void instance_rows(const InstanceRows& p, size_t first, size_t end) {
  const FloatLanes lanes;
  const auto count = static_cast<float>(p.size);
  for (size_t row = first; row < end; ++row) {
    const float* in = p.in + row * p.size;
    const float mean = sum_of_row<1>(in, p.size, 0.0F) / count;
    const Floats sigma = root_of(sum_of_row<2>(in, p.size, mean) / count + p.epsilon);
    const Instance instance{hn::Set(lanes, mean), hn::Set(lanes, p.gamma), sigma, hn::Set(lanes, p.beta)};
    map_array(lanes, in, p.out + row * p.size, p.size, instance);
  }
}

void instance_columns(const InstanceRows& p, size_t image, size_t first, size_t end) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const Floats count = hn::Set(lanes, static_cast<float>(p.size));
  for (size_t column = first; column < end; column += n) {
    const size_t some = std::min(n, end - column);
    const size_t at = image * p.size * p.step + column;
    const auto load = [&](size_t i) HWY_ATTR { return load_some(lanes, p.in + at + i * p.step, some); };
    Floats sum = hn::Zero(lanes);
    for (size_t i = 0; i < p.size; ++i) sum = hn::Add(sum, load(i));
    const Floats mean = hn::Div(sum, count);
    Floats squares = hn::Zero(lanes);
    for (size_t i = 0; i < p.size; ++i) {
      const Floats deviation = hn::Sub(load(i), mean);
      squares = hn::Add(squares, hn::Mul(deviation, deviation));
    }
    const Floats sigma = hn::Sqrt(hn::Add(hn::Div(squares, count), hn::Set(lanes, p.epsilon)));
    const Instance instance{mean, hn::Set(lanes, p.gamma), sigma, hn::Set(lanes, p.beta)};
    for (size_t i = 0; i < p.size; ++i) store_some(instance(load(i)), lanes, p.out + at + i * p.step, some);
  }
}

void neighbour_squares(const NeighbourSquares& p) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const Floats bias = hn::Set(lanes, p.bias);
  const Floats alpha = hn::Set(lanes, p.alpha);
  // Vectors compute the elements whose neighbours are all inside the row; the ends are computed element by element.
  const auto element = [&](size_t i) HWY_ATTR {
    float sum = 0.0F;
    for (size_t j = i - std::min(i, p.radius); j <= std::min(p.size - 1, i + p.radius); ++j) sum += p.in[j] * p.in[j];
    p.out[i] = p.bias + p.alpha * sum;
  };
  size_t i = 0;
  for (; i < std::min(p.radius, p.size); ++i) element(i);
  for (; i + n + p.radius <= p.size; i += n) {
    Floats sum = hn::Zero(lanes);
    for (size_t j = i - p.radius; j <= i + p.radius; ++j) {
      const Floats x = hn::LoadU(lanes, p.in + j);
      sum = hn::Add(sum, hn::Mul(x, x));
    }
    hn::StoreU(hn::Add(bias, hn::Mul(alpha, sum)), lanes, p.out + i);
  }
  for (; i < p.size; ++i) element(i);
}

void neighbour_squares_of_columns(const NeighbourSquares& p, size_t step, size_t i, size_t count) {
  const FloatLanes lanes;
  const size_t first = i - std::min(i, p.radius);
  const size_t last = std::min(p.size - 1, i + p.radius);
  for_vectors(lanes, count, [&](size_t column, size_t some) HWY_ATTR {
    Floats sum = hn::Zero(lanes);
    for (size_t j = first; j <= last; ++j) {
      const Floats x = load_some(lanes, p.in + j * step + column, some);
      sum = hn::Add(sum, hn::Mul(x, x));
    }
    store_some(hn::Add(hn::Set(lanes, p.bias), hn::Mul(hn::Set(lanes, p.alpha), sum)), lanes, p.out + column, some);
  });
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(l2_rows);
HWY_EXPORT(l2_byte_rows);
HWY_EXPORT(l2_columns);
HWY_EXPORT(l2_byte_columns);
HWY_EXPORT(neighbour_squares_of_columns);
HWY_EXPORT(instance_rows);
HWY_EXPORT(instance_columns);
HWY_EXPORT(neighbour_squares);

void l2_normalize_rows(const FloatRows& rows, size_t first, size_t end) { HWY_DYNAMIC_DISPATCH(l2_rows)(rows, first, end); }
void l2_normalize_rows(const ByteRows& rows, size_t first, size_t end) { HWY_DYNAMIC_DISPATCH(l2_byte_rows)(rows, first, end); }
void l2_normalize_columns(const FloatRows& slices, size_t step, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(l2_columns)(slices, step, first, end);
}
void l2_normalize_columns(const ByteRows& slices, size_t step, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(l2_byte_columns)(slices, step, first, end);
}
void sum_neighbour_squares_of_columns(const NeighbourSquares& squares, size_t step, size_t i, size_t count) {
  HWY_DYNAMIC_DISPATCH(neighbour_squares_of_columns)(squares, step, i, count);
}
void normalize_instance_rows(const InstanceRows& rows, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(instance_rows)(rows, first, end);
}
void normalize_instance_columns(const InstanceRows& rows, size_t image, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(instance_columns)(rows, image, first, end);
}
void sum_neighbour_squares(const NeighbourSquares& squares) { HWY_DYNAMIC_DISPATCH(neighbour_squares)(squares); }

}  // namespace nnvk::cpu
#endif
