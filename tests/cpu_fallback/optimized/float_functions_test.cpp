// Errors of vectorised functions of floats against the true values, over all kinds of floats. With kStep = 11, the worst errors
// on AVX-512, AVX2 and SSE4, in units in the last place, were: EXP 1.01, LOGISTIC 2.47, TANH 2.86, LOG 0.93, SIN 2.43.
#include "cpu_fallback/optimized/arrays/array_functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu_fallback/optimized/arrays/array_conversions.h"
#include "tests/cpu_fallback/optimized/every_instruction_set.h"
#include "tests/cpu_fallback/optimized/guarded_bytes.h"

namespace nnvk::cpu {
namespace {

using test::Guard;
using test::GuardedBytes;
using test::with_every_instruction_set;

constexpr uint64_t kStep = 4099;  // of all patterns of 32 bits; a prime
constexpr size_t kBlock = 4096;

// Calls fn(floats) for blocks of floats, spread over all bit patterns.
template <class Function>
void for_all_floats(const Function& fn) {
  std::vector<float> block;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStep) {
    block.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    if (block.size() < kBlock) continue;
    fn(block);
    block.clear();
  }
  if (!block.empty()) fn(block);
}

// |got - truth| in units in the last place of the float nearest to the truth.
double error_in_ulp(float got, double truth) {
  const auto nearest = static_cast<float>(truth);
  if (got == nearest || (std::isnan(got) && std::isnan(nearest))) return 0;
  if (!std::isfinite(got) || !std::isfinite(nearest)) {
    // At the end of the finite range, a neighbouring float counts as one unit away.
    const float edge = std::isfinite(got) ? got : nearest;
    return std::fabs(edge) == std::numeric_limits<float>::max() && got * nearest > 0 ? 1 : INFINITY;
  }
  const double ulp = std::ldexp(1.0, std::max(std::ilogb(nearest == 0 ? 1e-45F : nearest), -126) - 23);
  return std::fabs(got - truth) / ulp;
}

struct Accuracy {
  const char* name;
  FloatFunction function;
  double (*truth)(double x);
  double ulp;
};

// The specification's formula in floats: the exponential becomes infinite while the exact result would still be a float.
double true_logistic(double x) {
  const double e = std::exp(-x);
  return std::isinf(static_cast<float>(e)) ? 0 : 1 / (1 + e);
}
double true_exp(double x) { return std::exp(x); }
double true_log(double x) { return std::log(x); }
double true_sin(double x) { return std::sin(x); }
double true_tanh(double x) { return std::tanh(x); }

constexpr Accuracy kAccuracies[] = {
    {"Exp", FloatFunction::kExp, true_exp, 1.1},  {"Logistic", FloatFunction::kLogistic, true_logistic, 2.6},
    {"Tanh", FloatFunction::kTanh, true_tanh, 3}, {"Log", FloatFunction::kLog, true_log, 1},
    {"Sin", FloatFunction::kSin, true_sin, 2.6},
};

class FloatFunctions : public ::testing::TestWithParam<Accuracy> {};
INSTANTIATE_TEST_SUITE_P(Functions, FloatFunctions, ::testing::ValuesIn(kAccuracies),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(FloatFunctions, AreWithinAFewUnitsInTheLastPlace) {
  with_every_instruction_set([](const std::string& name) {
    double worst = 0;
    float where = 0;
    std::vector<float> out(kBlock);
    for_all_floats([&](const std::vector<float>& in) {
      apply_float_function({.function = GetParam().function}, in.data(), out.data(), in.size());
      for (size_t i = 0; i < in.size(); ++i) {
        const double error = error_in_ulp(out[i], GetParam().truth(in[i]));
        if (error <= worst) continue;
        worst = error;
        where = in[i];
      }
    });
    EXPECT_LE(worst, GetParam().ulp) << name << " at " << where;
  });
}

// Calls fn(in, out, count) for arrays of every small size that touch a guard page at the beginning or the end.
template <class Out, class Function>
void for_guarded_arrays(const Function& fn) {
  constexpr size_t kMost = 70;  // more than four of the widest vectors
  with_every_instruction_set([&](const std::string&) {
    for (const Guard guard : {Guard::kBefore, Guard::kBehind}) {
      for (size_t count = 0; count <= kMost; ++count) {
        const GuardedBytes in(count * sizeof(float), guard);
        const GuardedBytes out(count * sizeof(Out), guard);
        if (count > 0) std::memset(in.data(), 0, in.size());
        fn(reinterpret_cast<const float*>(in.data()), reinterpret_cast<Out*>(out.data()), count);
      }
    }
  });
}

TEST_P(FloatFunctions, TouchNothingBesideTheirArrays) {
  for_guarded_arrays<float>(
      [](const float* in, float* out, size_t count) { apply_float_function({.function = GetParam().function}, in, out, count); });
}

TEST(FloatConversions, TouchNothingBesideTheirArrays) {
  for_guarded_arrays<std::byte>([](const float* in, std::byte* out, size_t count) {
    quantize_floats({.is_signed = true, .scale = 1.0F, .zero_point = 3}, in, out, count);
  });
  for_guarded_arrays<int32_t>([](const float* in, int32_t* out, size_t count) { floats_to_ints(in, out, count); });
}

// random_elementwise_test.cpp tests the functions that equal the reference bit by bit. Rounding needs every kind of float.
TEST(FloatConversions, RoundHalvesAwayFromZero) {
  with_every_instruction_set([](const std::string& name) {
    std::vector<std::byte> out(kBlock);
    const auto check = [&](const std::vector<float>& in) {
      quantize_floats({.is_signed = true, .scale = 1.0F, .zero_point = 3}, in.data(), out.data(), in.size());
      for (size_t i = 0; i < in.size(); ++i) {
        const float wanted = std::max(-128.0F, std::min(127.0F, 3.0F + std::round(in[i])));
        ASSERT_EQ(static_cast<int8_t>(out[i]), static_cast<int8_t>(wanted)) << name << " at " << in[i];
      }
    };
    for_all_floats(check);
    std::vector<float> around_ties;
    for (float tie = -130.5F; tie <= 130.5F; tie += 1.0F) {
      for (const float way : {-INFINITY, INFINITY}) around_ties.push_back(std::nextafter(tie, way));
      around_ties.push_back(tie);
    }
    check(around_ties);
  });
}

TEST(FloatConversions, TruncateToIntegersInRange) {
  with_every_instruction_set([](const std::string& name) {
    std::vector<int32_t> out(kBlock);
    for_all_floats([&](const std::vector<float>& in) {
      floats_to_ints(in.data(), out.data(), in.size());
      for (size_t i = 0; i < in.size(); ++i) {
        const double wanted = std::isnan(in[i]) ? 0 : std::clamp<double>(in[i], INT32_MIN, INT32_MAX);
        ASSERT_EQ(out[i], static_cast<int32_t>(wanted)) << name << " at " << in[i];
      }
    });
  });
}

}  // namespace
}  // namespace nnvk::cpu
