// The bytes at the edge between a framework and NNAPI.
#include "importers/edges.h"

#include <android/NeuralNetworks.h>
#include <gmock/gmock.h>

#include <array>
#include <cstring>

namespace nnvk::importers {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Port port(int32_t type, std::vector<uint32_t> dimensions, bool wide, bool scalar) {
  Port port;
  port.name = "indices";
  port.info.type = type;
  port.info.dimensions = std::move(dimensions);
  port.wide = wide;
  port.scalar = scalar;
  return port;
}

TEST(Edges, KnowTheFrameworksBytesAndShapes) {
  EXPECT_EQ(framework_bytes(port(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 3}, false, false)), 24u);
  EXPECT_EQ(framework_bytes(port(ANEURALNETWORKS_TENSOR_INT32, {2, 3}, true, false)), 48u);
  EXPECT_THAT(framework_shape(port(ANEURALNETWORKS_TENSOR_INT32, {2, 3}, true, false)), ElementsAre(2, 3));
  EXPECT_THAT(framework_shape(port(ANEURALNETWORKS_TENSOR_FLOAT32, {1}, false, true)), IsEmpty());
}

TEST(Edges, NarrowAndWiden) {
  const std::array<int64_t, 4> wide{-2147483648, -1, 0, 2147483647};
  std::array<int32_t, 4> small{};
  ASSERT_TRUE(narrow(port(ANEURALNETWORKS_TENSOR_INT32, {4}, true, false), wide, small));
  std::array<int64_t, 4> again{};
  widen(small, again);
  EXPECT_EQ(again, wide);
  std::vector<uint8_t> held(sizeof small);
  std::memcpy(held.data(), small.data(), held.size());
  const auto bytes = in_framework_type(held, port(ANEURALNETWORKS_TENSOR_INT32, {4}, true, false));
  ASSERT_EQ(bytes.size(), sizeof wide);
  EXPECT_EQ(std::memcmp(bytes.data(), wide.data(), bytes.size()), 0);
  EXPECT_EQ(in_framework_type(held, port(ANEURALNETWORKS_TENSOR_INT32, {4}, false, false)), held);
}

TEST(Edges, RefuseValuesBeyond32Bits) {
  for (const int64_t value : {int64_t{2147483648}, int64_t{-2147483649}, INT64_MAX, INT64_MIN}) {
    const std::array<int64_t, 2> wide{7, value};
    std::array<int32_t, 2> small{};
    const Status status = narrow(port(ANEURALNETWORKS_TENSOR_INT32, {2}, true, false), wide, small);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, AllOf(HasSubstr("'indices'"), HasSubstr(std::to_string(value)), HasSubstr("element 1")));
  }
}

}  // namespace
}  // namespace nnvk::importers
