// Values found by several keys, and forgotten when others were used later.
#include "vulkan/recording/by_shapes.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

using Key = ByShapes<int>::Key;

Key key(int number) { return {std::byte{1}, static_cast<std::byte>(number)}; }

TEST(ByShapes, AValueIsFoundByItsKeyAndByEachThatWasSaidToMeanTheSame) {
  ByShapes<int> values(2);
  EXPECT_EQ(values.find(key(1)), nullptr);
  EXPECT_EQ(values.find(key(1), key(2)), nullptr) << "there is nothing that a second key could lead to";
  const auto seven = std::make_shared<int>(7);
  values.add(key(1), seven);
  EXPECT_EQ(values.find(key(1)), seven);
  EXPECT_EQ(values.find(key(2)), nullptr);
  EXPECT_EQ(values.find(key(1), key(2)), seven);
  EXPECT_EQ(values.find(key(2)), seven);
  EXPECT_EQ(values.find(key(1), key(1)), seven);
}

TEST(ByShapes, TheValueUsedLongestAgoIsDroppedWithAllItsKeys) {
  ByShapes<int> values(2);
  values.add(key(1), std::make_shared<int>(1));
  values.add(key(2), std::make_shared<int>(2));
  EXPECT_NE(values.find(key(2), key(22)), nullptr);
  EXPECT_NE(values.find(key(1)), nullptr);
  values.add(key(3), std::make_shared<int>(3));
  EXPECT_EQ(values.find(key(2)), nullptr);
  EXPECT_EQ(values.find(key(22)), nullptr);
  EXPECT_EQ(*values.find(key(1)), 1);
  EXPECT_EQ(*values.find(key(3)), 3);
}

TEST(ByShapes, SecondKeysAreFewAndTheFirstKeyStays) {
  ByShapes<int> values(1);
  values.add(key(0), std::make_shared<int>(5));
  for (int other = 1; other <= 9; ++other) EXPECT_NE(values.find(key(0), key(other)), nullptr);
  EXPECT_NE(values.find(key(0)), nullptr);
  EXPECT_NE(values.find(key(9)), nullptr);
  EXPECT_EQ(values.find(key(1)), nullptr) << "the oldest of them";
}

}  // namespace
}  // namespace nnvk::vulkan
