// Limits of the functions that read whole files.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/temporary_folder.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

TEST(WholeFiles, AFileOfTheLimitIsReadAndALongerOneIsNot) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.file("four"), std::string_view("abcd")));
  for (const uint64_t most : {uint64_t{4}, uint64_t{5}, std::numeric_limits<uint64_t>::max()}) {
    const auto text = read_text_file(folder.file("four"), most);
    ASSERT_TRUE(text) << most;
    EXPECT_EQ(*text, "abcd");
  }
  EXPECT_FALSE(read_text_file(folder.file("four"), 3));
}

TEST(WholeFiles, AFileOfSeveralBlocksIsReadAsItIs) {
  const test::TemporaryFolder folder;
  constexpr size_t kBlock = size_t{1} << 20;
  for (const size_t size : {kBlock - 1, kBlock, kBlock + 1, 2 * kBlock}) {
    std::string text(size, 'x');
    text.back() = 'y';
    ASSERT_TRUE(write_file(folder.file("blocks"), std::string_view(text)));
    const auto read = read_text_file(folder.file("blocks"), size);
    ASSERT_TRUE(read) << size;
    EXPECT_TRUE(*read == text) << size;
    EXPECT_FALSE(read_text_file(folder.file("blocks"), size - 1)) << size;
  }
}

}  // namespace
}  // namespace nnvk::tools
