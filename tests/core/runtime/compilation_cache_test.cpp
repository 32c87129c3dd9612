// Caches of compilations over a fake device: names, keys, hits and misses.
#include "core/runtime/compilation_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/core/runtime/runtime_fixture.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

CacheKeyParts some_parts() {
  CacheKeyParts parts;
  for (size_t i = 0; i < parts.token.size(); ++i) parts.token[i] = static_cast<uint8_t>(i);
  parts.device_name = "device";
  parts.device_version = "1.2";
  return parts;
}

TEST(CacheKey, IsTheHashOfWhatTheSpecificationLists) {
  CacheKeyParts parts = some_parts();
  std::string bytes(reinterpret_cast<const char*>(parts.token.data()), parts.token.size());
  bytes += "device1.2";
  bytes += std::string("\1\0\0\0", 4);    // preference
  bytes += std::string("\x64\0\0\0", 4);  // priority
  EXPECT_EQ(cache_key(parts), Sha256().add(bytes).finish());

  parts.operations = {2, 5};
  std::string partial = bytes.substr(0, 32);
  for (const char operation : {'\2', '\5'}) partial += std::string(4, '\0') + operation + std::string(3, '\0');
  partial += bytes.substr(32);
  EXPECT_EQ(cache_key(parts), Sha256().add(partial).finish());
}

TEST(CacheKey, DependsOnEverySetting) {
  const std::vector<std::byte> one{std::byte{1}};
  const std::vector<std::byte> two{std::byte{2}};
  const std::vector<std::function<void(CacheKeyParts&)>> changes = {
      [](CacheKeyParts&) {},
      [](CacheKeyParts& p) { p.token[31] ^= 1; },
      [](CacheKeyParts& p) { p.operations = {0}; },
      [](CacheKeyParts& p) {
        p.operations = {0, 1};
      },
      [](CacheKeyParts& p) { p.device_name = "other"; },
      [](CacheKeyParts& p) { p.device_version = "1.3"; },
      [](CacheKeyParts& p) { p.preference = 2; },
      [](CacheKeyParts& p) { p.priority = 110; },
      [&](CacheKeyParts& p) {
        p.attributes[{"com.example", 1}] = one;
      },
      [&](CacheKeyParts& p) {
        p.attributes[{"com.example", 1}] = two;
      },
      [&](CacheKeyParts& p) {
        p.attributes[{"com.example", 2}] = one;
      },
      [&](CacheKeyParts& p) {
        p.attributes[{"com.sample", 1}] = one;
      },
  };
  std::map<Sha256Digest, size_t> seen;
  for (size_t i = 0; i < changes.size(); ++i) {
    CacheKeyParts parts = some_parts();
    changes[i](parts);
    EXPECT_TRUE(seen.emplace(cache_key(parts), i).second) << "change " << i << " gives the key of " << seen[cache_key(parts)];
  }
}

TEST(CacheFileName, HasTwoLettersPerByteLowHalfFirst) {
  Sha256Digest key{};
  key[0] = 0x1F;
  key[31] = 0xA2;
  EXPECT_EQ(cache_file_name(key, '1', 0), "PB" + std::string(60, 'A') + "CK10");
  EXPECT_EQ(cache_file_name(key, '2', 12), "PB" + std::string(60, 'A') + "CK212");
}

TEST(CompilationCache, KeepsOneEntryPerPlan) {
  const TemporaryFolder folder;
  test::PlanFixture first;
  first.input({2});
  test::PlanFixture second;
  second.input({3});
  const std::vector<std::byte> a(10, std::byte{1});
  const std::vector<std::byte> b(20, std::byte{2});
  {
    CompilationCache cache(folder.file("cache"), {}, first.raw());
    EXPECT_TRUE(cache.find(first.raw()).empty());
    cache.keep(first.raw(), a);
    cache.store();
  }
  {
    CompilationCache cache(folder.file("cache"), {}, first.raw());
    EXPECT_TRUE(std::ranges::equal(cache.find(first.raw()), a));
    EXPECT_TRUE(cache.find(second.raw()).empty());
    cache.keep(second.raw(), b);
    cache.store();
  }
  CompilationCache cache(folder.file("cache"), {}, first.raw());
  EXPECT_TRUE(std::ranges::equal(cache.find(first.raw()), a)) << "what was found stays";
  EXPECT_TRUE(std::ranges::equal(cache.find(second.raw()), b));
}

TEST(CompilationCache, EntriesThatDoNotFitTogetherAreNoCache) {
  const TemporaryFolder folder;
  const test::PlanFixture plan;
  for (const size_t size : {size_t{3}, size_t{8}, size_t{15}, size_t{16}, size_t{40}}) {
    const std::vector<std::byte> rubbish(size, std::byte{0x11});
    ASSERT_TRUE(replace_cache_file(folder.file("cache"), {}, rubbish));
    CompilationCache cache(folder.file("cache"), {}, *plan.plan());
    EXPECT_TRUE(cache.find(*plan.plan()).empty()) << size;
  }
}

TEST(CompilationCache, NothingLargerThanTheModelAllowsIsWritten) {
  const TemporaryFolder folder;
  const test::PlanFixture plan;
  CompilationCache cache(folder.file("cache"), {}, *plan.plan());
  cache.keep(*plan.plan(), std::vector<std::byte>((size_t{64} << 20) + 1));
  cache.store();
  EXPECT_TRUE(folder.names().empty());
}

class CachingTest : public RuntimeTest {
 protected:
  CachingTest() {
    gpu_->changeable_info().caches = true;
    gpu_->behaviour.keeps = kept_;
  }
  using Setting = std::function<void(Compilation&)>;
  // Whether a compilation of `model` found the cache entry of an earlier one.
  bool hits(const Model& model, const Setting& set = {}) {
    Compilation compilation(model, runtime_, {gpu_});
    EXPECT_TRUE(compilation.set_caching(folder_.path(), token_.data()));
    if (set) set(compilation);
    EXPECT_TRUE(compilation.finish());
    return gpu_->found == kept_;
  }
  bool hits() { return hits(model_); }
  std::string only_file() const {
    const auto names = folder_.names();
    EXPECT_EQ(names.size(), 1U);
    return folder_.file(names.at(0));
  }

  TemporaryFolder folder_;
  const std::vector<std::byte> kept_ = std::vector<std::byte>(500, std::byte{42});
  CacheToken token_{1, 2, 3};
};

TEST_F(CachingTest, TheSecondCompilationFindsWhatTheFirstLeft) {
  EXPECT_FALSE(hits());
  EXPECT_TRUE(hits());
  CacheKeyParts parts;
  parts.token = token_;
  parts.device_name = gpu_->info().name;
  parts.device_version = gpu_->info().version;
  EXPECT_EQ(folder_.names(), std::vector<std::string>{cache_file_name(cache_key(parts), '1', 0)});
}

TEST_F(CachingTest, OtherSettingsHaveCachesOfTheirOwn) {
  EXPECT_FALSE(hits());
  const std::vector<Setting> settings = {
      [](Compilation& c) { ASSERT_TRUE(c.set_preference(2)); },
      [](Compilation& c) { ASSERT_TRUE(c.set_priority(110)); },
      [](Compilation& c) { ASSERT_TRUE(c.add_extension_attribute("com.example", 1, "x", 1)); },
      [](Compilation& c) { ASSERT_TRUE(c.add_extension_attribute("com.example", 1, "y", 1)); },
      [this](Compilation& c) {
        const CacheToken other{9};
        ASSERT_TRUE(c.set_caching(folder_.path() + "/", other.data())) << "the last call wins";
      },
  };
  for (size_t i = 0; i < settings.size(); ++i) {
    EXPECT_FALSE(hits(model_, settings[i])) << i;
    EXPECT_TRUE(hits(model_, settings[i])) << i;
  }
  EXPECT_EQ(folder_.names().size(), settings.size() + 1);
}

TEST_F(CachingTest, AnotherModelWithTheSameTokenIsAMiss) {
  EXPECT_FALSE(hits());
  Model other(runtime_.extensions());
  build_relu(other, {3}, {3});
  EXPECT_FALSE(hits(other));
  EXPECT_TRUE(hits(other)) << "the file holds the last one";
  EXPECT_FALSE(hits());
}

TEST_F(CachingTest, AnotherDriverIsAMissAndSoIsADamagedFile) {
  EXPECT_FALSE(hits());
  gpu_->changeable_info().cache_identity = "other limits";
  EXPECT_FALSE(hits());
  EXPECT_TRUE(hits());
  std::filesystem::resize_file(only_file(), 100);
  EXPECT_FALSE(hits());
  EXPECT_TRUE(hits()) << "it was written anew";
  std::filesystem::remove(only_file());
  EXPECT_FALSE(hits());
  std::ofstream(only_file()) << "no cache";
  EXPECT_FALSE(hits());
  EXPECT_TRUE(hits());
}

TEST_F(CachingTest, SwappedFilesAreMisses) {
  const Setting fast = [](Compilation& c) { ASSERT_TRUE(c.set_preference(1)); };
  const Setting sustained = [](Compilation& c) { ASSERT_TRUE(c.set_preference(2)); };
  EXPECT_FALSE(hits(model_, fast));
  EXPECT_FALSE(hits(model_, sustained));
  const auto names = folder_.names();
  ASSERT_EQ(names.size(), 2U);
  std::filesystem::rename(folder_.file(names[0]), folder_.file("spare"));
  std::filesystem::rename(folder_.file(names[1]), folder_.file(names[0]));
  std::filesystem::rename(folder_.file("spare"), folder_.file(names[1]));
  EXPECT_FALSE(hits(model_, fast));
  EXPECT_FALSE(hits(model_, sustained));
}

TEST_F(CachingTest, DevicesThatDoNotCacheAreNotOfferedACache) {
  gpu_->changeable_info().caches = false;
  EXPECT_FALSE(hits());
  EXPECT_EQ(gpu_->last_options.cache, nullptr);
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(CachingTest, AFailedCompilationLeavesNothing) {
  gpu_->behaviour.prepare_result = fail(Code::kOpFailed, "no");
  Compilation compilation(model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.set_caching(folder_.path(), token_.data()));
  EXPECT_FALSE(compilation.finish());
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(CachingTest, FoldersThatCannotBeUsedOnlyDisableCaching) {
  std::ofstream(folder_.file("file")) << "x";
  for (const std::string& path : {std::string(), folder_.file("none"), folder_.file("file"), std::string(10'000, 'x')}) {
    const auto there = [&](Compilation& c) { ASSERT_TRUE(c.set_caching(path, token_.data())); };
    EXPECT_FALSE(hits(model_, there));
    EXPECT_FALSE(hits(model_, there)) << path.substr(0, 100);
  }
}

TEST_F(CachingTest, FilesOfTheClientWorkInsteadOfAFolder) {
  const FileDescriptor file(::memfd_create("cache", MFD_CLOEXEC));
  const int model_file = file.get();
  const int two[] = {model_file, model_file};
  const auto given = [&](std::span<const int> models, std::span<const int> data) {
    return Setting([=, this](Compilation& c) { ASSERT_TRUE(c.set_caching_files(models, data, token_.data())); });
  };
  EXPECT_FALSE(hits(model_, given(two, {})));
  EXPECT_FALSE(hits(model_, given({&model_file, 1}, {&model_file, 1})));
  EXPECT_FALSE(hits(model_, given({}, {})));
  struct stat status {};
  ASSERT_EQ(::fstat(model_file, &status), 0);
  EXPECT_EQ(status.st_size, 0) << "wrong numbers of files disable caching";

  EXPECT_FALSE(hits(model_, given({&model_file, 1}, {})));
  EXPECT_TRUE(hits(model_, given({&model_file, 1}, {})));
  ASSERT_EQ(::ftruncate(model_file, 300), 0);
  EXPECT_FALSE(hits(model_, given({&model_file, 1}, {})));
  EXPECT_TRUE(hits(model_, given({&model_file, 1}, {})));
  EXPECT_TRUE(folder_.names().empty());

  Compilation compilation(model_, runtime_, {gpu_});
  const int bad = -1;
  EXPECT_EQ(code_of(compilation.set_caching_files({&bad, 1}, {}, token_.data())), Code::kBadData);
}

}  // namespace
}  // namespace nnvk::test
