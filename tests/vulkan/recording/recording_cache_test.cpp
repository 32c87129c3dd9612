// Tests the cache's keys only. The recordings are empty placeholders that differ in ownership.
#include "vulkan/recording/recording_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace nnvk::vulkan {
namespace {

std::vector<std::byte> key(int n) { return {std::byte{1}, std::byte(static_cast<unsigned char>(n))}; }

// A placeholder; no test reads its contents.
std::shared_ptr<Recording> token() {
  auto owner = std::make_shared<int>(0);
  return {owner, reinterpret_cast<Recording*>(owner.get())};
}

TEST(RecordingCache, FindsWhatWasInsertedAndNothingElse) {
  RecordingCache cache;
  const auto one = token();
  cache.insert(key(1), one);
  EXPECT_EQ(cache.find(key(1)), one);
  EXPECT_EQ(cache.find(key(2)), nullptr);
  EXPECT_EQ(cache.find(std::vector<std::byte>{std::byte{1}}), nullptr);
}

TEST(RecordingCache, ForgetsTheLeastRecentlyUsed) {
  RecordingCache cache;
  for (int i = 0; i < static_cast<int>(RecordingCache::kCapacity); ++i) cache.insert(key(i), token());
  EXPECT_NE(cache.find(key(0)), nullptr);  // used now
  cache.insert(key(100), token());
  EXPECT_NE(cache.find(key(0)), nullptr);
  EXPECT_EQ(cache.find(key(1)), nullptr);
  EXPECT_NE(cache.find(key(100)), nullptr);
}

TEST(RecordingCache, AnEvictedRecordingLivesWhileItIsUsed) {
  RecordingCache cache;
  const auto used = token();
  cache.insert(key(0), used);
  for (int i = 1; i <= static_cast<int>(RecordingCache::kCapacity); ++i) cache.insert(key(i), token());
  EXPECT_EQ(cache.find(key(0)), nullptr);
  EXPECT_EQ(used.use_count(), 1);
}

}  // namespace
}  // namespace nnvk::vulkan
