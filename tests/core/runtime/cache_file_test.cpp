// Cache files: which contents a reader accepts, and the remains of a writer that fails or dies.
#include "core/runtime/cache_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "core/base/file_descriptor.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

constexpr uint64_t kNoLimit = 1 << 28;

std::vector<std::byte> some_bytes(size_t size, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
  return bytes;
}

CacheStamp some_stamp() {
  CacheStamp stamp;
  stamp.key.fill(1);
  stamp.build.fill(2);
  stamp.device.fill(3);
  stamp.driver.fill(4);
  stamp.model = 5;
  return stamp;
}

// The exit code of `body` in a child process.
int run_in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class CacheFile : public ::testing::Test {
 protected:
  std::string reason(const CacheStamp& stamp = some_stamp(), uint64_t limit = kNoLimit) const {
    const auto contents = read_cache_file(path_, stamp, limit);
    return contents ? "" : contents.error().message;
  }
  bool holds(const std::vector<std::byte>& wanted) const {
    const auto contents = read_cache_file(path_, some_stamp(), kNoLimit);
    return contents && *contents == wanted;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("cache");
  const std::vector<std::byte> contents_ = some_bytes(1000, 1);
};

TEST_F(CacheFile, GivesBackWhatWasWritten) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{100'000}}) {
    const auto contents = some_bytes(size, 3);
    ASSERT_TRUE(replace_cache_file(path_, some_stamp(), contents));
    EXPECT_TRUE(holds(contents)) << size;
  }
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"cache"}) << "nothing else is left";
}

TEST_F(CacheFile, DamageAnywhereIsFound) {
  const FileDescriptor file(::memfd_create("cache", MFD_CLOEXEC));
  ASSERT_TRUE(overwrite_cache_file(file.get(), some_stamp(), contents_));
  const auto is_good = [&] { return read_cache_file(file.get(), some_stamp(), kNoLimit).has_value(); };
  const auto put = [&](std::byte byte, off_t at) { return ::pwrite(file.get(), &byte, 1, at) == 1; };
  ASSERT_TRUE(is_good());
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  for (off_t i = 0; i < size; ++i) {
    std::byte byte{};
    ASSERT_EQ(::pread(file.get(), &byte, 1, i), 1);
    ASSERT_TRUE(put(byte ^ std::byte{0x10}, i));
    EXPECT_FALSE(is_good()) << "byte " << i;
    ASSERT_TRUE(put(byte, i));
  }
  ASSERT_TRUE(put(std::byte{0}, size));
  EXPECT_FALSE(is_good()) << "one byte more";
  ASSERT_EQ(::ftruncate(file.get(), size), 0);
  EXPECT_TRUE(is_good());
  for (off_t shorter = size - 1; shorter >= 0; --shorter) {
    ASSERT_EQ(::ftruncate(file.get(), shorter), 0);
    EXPECT_FALSE(is_good()) << shorter << " bytes of it";
  }
}

TEST_F(CacheFile, FilesForSomethingElseAreRefusedEachWithItsReason) {
  ASSERT_TRUE(replace_cache_file(path_, some_stamp(), contents_));
  std::set<std::string> reasons;
  const std::vector<std::function<void(CacheStamp&)>> others = {
      [](CacheStamp& s) { s.key[31] = 0; },    [](CacheStamp& s) { s.build[0] = 0; }, [](CacheStamp& s) { s.device[7] = 0; },
      [](CacheStamp& s) { s.driver[12] = 0; }, [](CacheStamp& s) { s.model = 6; },
  };
  for (const auto& change : others) {
    CacheStamp other = some_stamp();
    change(other);
    reasons.insert(reason(other));
  }
  EXPECT_EQ(reasons.size(), others.size());
  EXPECT_FALSE(reasons.contains(""));
  EXPECT_NE(reason(some_stamp(), contents_.size() - 1), "") << "larger than allowed";
}

TEST_F(CacheFile, WhatIsNoFileIsNoCache) {
  EXPECT_NE(reason(), "") << "nothing";
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(reason(), "") << "a pipe, which must not block";
  ASSERT_TRUE(replace_cache_file(path_, some_stamp(), contents_)) << "is replaced like any file";
  EXPECT_TRUE(holds(contents_));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_NE(reason(), "") << "a folder";
  EXPECT_FALSE(replace_cache_file(path_, some_stamp(), contents_));
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"cache"}) << "the new file was removed";
}

TEST_F(CacheFile, OfASparseTerabyteOnlyTheHeaderIsRead) {
  ASSERT_TRUE(replace_cache_file(path_, some_stamp(), contents_));
  ASSERT_EQ(::truncate(path_.c_str(), off_t{1} << 40), 0);
  EXPECT_NE(reason(), "");
}

TEST_F(CacheFile, AFolderThatCannotBeWrittenIsAnErrorAndNothingMore) {
  EXPECT_FALSE(replace_cache_file(folder_.file("no/such/folder"), some_stamp(), contents_));
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(CacheFile, AFullDiskLeavesTheOldFile) {
  ASSERT_TRUE(replace_cache_file(path_, some_stamp(), contents_));
  for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{5000}, rlim_t{99'999}}) {
    const int code = run_in_child([&] {
      const rlimit file_size{limit, limit};  // writing beyond it is a short write, then SIGXFSZ, which would end the process
      if (::setrlimit(RLIMIT_FSIZE, &file_size) != 0) return 2;
      return replace_cache_file(path_, some_stamp(), some_bytes(100'000, 2)) ? 1 : 0;
    });
    EXPECT_EQ(code, 0) << "limit " << limit;
    EXPECT_TRUE(holds(contents_)) << "limit " << limit;
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"cache"}) << "limit " << limit;
  }
}

TEST_F(CacheFile, OnlyOneWriterAtATime) {
  ASSERT_TRUE(replace_cache_file(path_, some_stamp(), contents_));
  {
    const FileDescriptor other(::open((path_ + ".newAbC123").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
    EXPECT_FALSE(replace_cache_file(path_, some_stamp(), some_bytes(10, 2)));
    EXPECT_TRUE(holds(contents_));
  }
  const auto later = some_bytes(20, 3);
  EXPECT_TRUE(replace_cache_file(path_, some_stamp(), later)) << "what a dead writer left is taken over";
  EXPECT_TRUE(holds(later));
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"cache"});
}

TEST_F(CacheFile, NobodysFileIsOverwrittenThroughAGuessedName) {
  const std::string precious = folder_.file("precious");
  std::filesystem::create_directory(folder_.file("elsewhere"));
  std::ofstream(precious) << "precious";
  std::filesystem::create_hard_link(precious, path_ + ".new");
  std::filesystem::create_symlink(precious, path_ + ".newAbC123");
  ASSERT_TRUE(replace_cache_file(path_, some_stamp(), contents_));
  EXPECT_TRUE(holds(contents_));
  std::string text;
  std::getline(std::ifstream(precious), text);
  EXPECT_EQ(text, "precious");
}

TEST_F(CacheFile, ALinkInItsPlaceIsNotFollowed) {
  const std::string elsewhere = folder_.file("elsewhere");
  ASSERT_TRUE(replace_cache_file(elsewhere, some_stamp(), contents_));
  std::filesystem::create_symlink(elsewhere, path_);
  EXPECT_NE(reason(), "");
}

TEST_F(CacheFile, PlacesThatOthersCanWriteToAreNotTrusted) {
  using std::filesystem::perms;
  const std::string folder = folder_.file("shared");
  const std::string file = folder + "/cache";
  EXPECT_TRUE(check_cache_place(file)) << "nothing is there yet";
  std::filesystem::create_directory(folder);
  const auto with_mode = [&](mode_t mode) { return ::chmod(folder.c_str(), mode) == 0 && check_cache_place(file); };
  EXPECT_TRUE(with_mode(0700));
  EXPECT_TRUE(with_mode(0775)) << "a group of its own, as Debian gives each user";
  EXPECT_FALSE(with_mode(0777));
  EXPECT_TRUE(with_mode(01777)) << "as /tmp, and the file is not there yet";
  ASSERT_TRUE(replace_cache_file(file, some_stamp(), contents_));
  EXPECT_TRUE(with_mode(01777)) << "the file is ours";
  ASSERT_EQ(::chmod(file.c_str(), 0606), 0);
  EXPECT_FALSE(with_mode(01777)) << "others may have written to it";
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/etc/hostname", file);
  EXPECT_FALSE(with_mode(01777)) << "whoever made this link can change it";
}

TEST_F(CacheFile, FilesOfAnotherUserInAStickyFolderAreNotTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  constexpr uid_t kNobody = 65534;
  const std::string folder = folder_.file("sticky");
  std::filesystem::create_directory(folder);
  ASSERT_EQ(::chmod(folder.c_str(), 01777), 0);
  ASSERT_TRUE(replace_cache_file(folder + "/cache", some_stamp(), contents_));
  ASSERT_EQ(::chown((folder + "/cache").c_str(), kNobody, kNobody), 0);
  EXPECT_FALSE(check_cache_place(folder + "/cache"));
  ASSERT_EQ(::chown(folder.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  EXPECT_FALSE(check_cache_place(folder + "/cache")) << "the folder is another user's";
}

TEST_F(CacheFile, ManyWritersAndReadersSeeWholeFilesOnly) {
  std::vector<std::vector<std::byte>> versions;
  for (uint32_t v = 0; v < 4; ++v) versions.push_back(some_bytes(50'000 + 1000 * v, v));
  ASSERT_TRUE(replace_cache_file(path_, some_stamp(), versions[0]));
  std::vector<std::thread> threads;
  std::atomic<int> torn{0};
  for (const auto& version : versions) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        (void)replace_cache_file(path_, some_stamp(), version);  // may lose against the others
        const auto seen = read_cache_file(path_, some_stamp(), kNoLimit);
        if (!seen || std::find(versions.begin(), versions.end(), *seen) == versions.end()) ++torn;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"cache"});
}

TEST_F(CacheFile, AWriterKilledAtAnyMomentLeavesAUsableFile) {
  const std::vector<std::vector<std::byte>> versions{some_bytes(3 << 20, 1), some_bytes(4 << 20, 2)};
  std::mt19937 engine(7);
  int left_unfinished = 0;
  for (int round = 0; round < 50; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      for (size_t i = 0;; ++i) {
        if (!replace_cache_file(path_, some_stamp(), versions[i % 2])) ::_exit(1);
        if (i == 0 && ::write(ready[1], "x", 1) != 1) ::_exit(2);
      }
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "the first version is there";
    ::close(ready[0]);
    std::this_thread::sleep_for(std::chrono::microseconds(engine() % 12'000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << WEXITSTATUS(status);
    EXPECT_TRUE(holds(versions[0]) || holds(versions[1])) << "round " << round << ": " << reason();
    left_unfinished += folder_.names().size() == 2 ? 1 : 0;
    EXPECT_LE(folder_.names().size(), 2U) << "leftovers do not pile up";
  }
  EXPECT_GT(left_unfinished, 0) << "no writer was hit while it wrote";
}

TEST_F(CacheFile, ADescriptorWorksLikeAFile) {
  const FileDescriptor file(::memfd_create("cache", MFD_CLOEXEC));
  EXPECT_FALSE(read_cache_file(file.get(), some_stamp(), kNoLimit)) << "it is empty";
  ASSERT_TRUE(overwrite_cache_file(file.get(), some_stamp(), some_bytes(9000, 4)));
  ASSERT_TRUE(overwrite_cache_file(file.get(), some_stamp(), contents_)) << "truncates";
  const auto contents = read_cache_file(file.get(), some_stamp(), kNoLimit);
  ASSERT_TRUE(contents) << contents.error().message;
  EXPECT_EQ(*contents, contents_);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(overwrite_cache_file(ends[1], some_stamp(), contents_)) << "a pipe is not a file";
  EXPECT_FALSE(read_cache_file(ends[0], some_stamp(), kNoLimit));
  EXPECT_FALSE(overwrite_cache_file(-1, some_stamp(), contents_));
  ::close(ends[0]);
  ::close(ends[1]);
  const FileDescriptor read_only(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(overwrite_cache_file(read_only.get(), some_stamp(), contents_));
}

}  // namespace
}  // namespace nnvk::test
