#include "tests/clients/tflite_delegate/runtime/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace nnvk::test {
namespace {

template <class Element>
Difference compare_as(const TfLiteTensor& own, const TfLiteTensor& expected, double allowed) {
  const auto* a = static_cast<const Element*>(own.data.data);
  const auto* b = static_cast<const Element*>(expected.data.data);
  Difference difference{.worst = 0, .elements = expected.bytes / sizeof(Element), .beyond = 0};
  double unit = 1;
  if constexpr (std::is_floating_point_v<Element>) {
    for (size_t i = 0; i < difference.elements; ++i) {
      if (std::isfinite(b[i])) unit = std::max<double>(unit, std::fabs(b[i]));
    }
  }
  for (size_t i = 0; i < difference.elements; ++i) {
    const auto x = static_cast<double>(a[i]);
    const auto y = static_cast<double>(b[i]);
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    const double distance = same ? 0 : std::fabs(x - y) / unit;
    if (!(distance <= allowed)) ++difference.beyond;
    difference.worst = std::max(difference.worst, std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance);
  }
  return difference;
}

}  // namespace

Difference compare(const TfLiteTensor& own, const TfLiteTensor& expected, double tolerance) {
  EXPECT_EQ(own.bytes, expected.bytes);
  if (own.bytes != expected.bytes) return {.worst = 0, .elements = 0, .beyond = 1};
  switch (expected.type) {
    case kTfLiteFloat32:
      return compare_as<float>(own, expected, tolerance);
    case kTfLiteUInt8:
      return compare_as<uint8_t>(own, expected, 1);
    case kTfLiteInt8:
      return compare_as<int8_t>(own, expected, 1);
    case kTfLiteInt16:
      return compare_as<int16_t>(own, expected, 1);
    case kTfLiteInt32:
      return compare_as<int32_t>(own, expected, 0);
    case kTfLiteInt64:
      return compare_as<int64_t>(own, expected, 0);
    case kTfLiteBool:
      return compare_as<uint8_t>(own, expected, 0);
    default:
      ADD_FAILURE() << "an output of type " << expected.type;
      return {};
  }
}

}  // namespace nnvk::test
