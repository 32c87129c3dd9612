// Archives at the end of files: small ones written here, byte by byte, and damaged ones.
#include "tools/answers/packed_files.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/tools/answers/archive.h"

namespace nnvk::tools::answers {
namespace {

const std::string kLabels = "cat\ndog\ncat\ndog\ncat\ndog\n";

TEST(PackedFiles, StoredAndDeflatedFilesAreReadByName) {
  const auto file = test::with_archive(std::vector<uint8_t>(100, 7), "person\n", kLabels);
  EXPECT_EQ(packed_file(file, "a.txt"), "person\n");
  EXPECT_EQ(packed_file(file, "b.txt"), kLabels);
  EXPECT_EQ(packed_file(file, "c.txt"), std::nullopt);
  EXPECT_EQ(packed_file({}, "a.txt"), std::nullopt);
  EXPECT_EQ(packed_file(std::vector<uint8_t>(1000, 3), "a.txt"), std::nullopt);
}

TEST(PackedFiles, NoCutOrChangedFileIsReadBeyondItsEndOrGivesOtherText) {
  const auto file = test::with_archive(std::vector<uint8_t>(100, 7), "person\n", kLabels);
  for (size_t size = 0; size < file.size(); ++size) {
    const std::vector<uint8_t> cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));  // sanitizers see its end
    EXPECT_EQ(packed_file(cut, "b.txt"), std::nullopt) << size;
  }
  for (size_t at = 100; at < file.size(); ++at) {
    for (const uint8_t value : {0x00, 0x7F, 0xFF}) {
      auto changed = file;
      changed[at] = value;
      const auto text = packed_file(changed, "b.txt");
      EXPECT_TRUE(!text || *text == kLabels) << at;
    }
  }
}

}  // namespace
}  // namespace nnvk::tools::answers
