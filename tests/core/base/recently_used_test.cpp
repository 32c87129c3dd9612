#include "core/base/recently_used.h"

#include <gtest/gtest.h>

#include <memory>

namespace nnvk {
namespace {

using Values = RecentlyUsed<std::shared_ptr<const int>>;

std::shared_ptr<const int> find(Values& values, int wanted) {
  const auto* const found = values.find([&](const auto& value) { return *value == wanted; });
  return found != nullptr ? *found : nullptr;
}

TEST(RecentlyUsed, FindsWhatWasAddedAndNothingElse) {
  Values values(2);
  const auto one = std::make_shared<const int>(1);
  EXPECT_EQ(values.add(one), nullptr);
  EXPECT_EQ(find(values, 1), one);
  EXPECT_EQ(find(values, 2), nullptr);
}

TEST(RecentlyUsed, DropsTheLeastRecentlyUsed) {
  Values values(3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values.add(std::make_shared<const int>(i)), nullptr);
  EXPECT_NE(find(values, 0), nullptr);  // used now
  const auto dropped = values.add(std::make_shared<const int>(100));
  ASSERT_NE(dropped, nullptr);
  EXPECT_EQ(*dropped, 1);
  EXPECT_NE(find(values, 0), nullptr);
  EXPECT_EQ(find(values, 1), nullptr);
  EXPECT_EQ(**values.values().begin(), 0);  // the last one that was found
  EXPECT_NE(find(values, 100), nullptr);
}

TEST(RecentlyUsed, ADroppedValueLivesWhileItIsUsed) {
  Values values(2);
  const auto used = std::make_shared<const int>(0);
  values.add(used);
  for (int i = 1; i <= 2; ++i) values.add(std::make_shared<const int>(i));
  EXPECT_EQ(find(values, 0), nullptr);
  EXPECT_EQ(used.use_count(), 1);
}

}  // namespace
}  // namespace nnvk
