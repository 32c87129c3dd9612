// Which line of a label file names which class.
#include "tools/answers/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nnvk::tools::answers {
namespace {

using ::testing::ElementsAre;

Labels labels(const std::string& text) { return *labels_in(text, "labels.txt"); }

TEST(Labels, AreLinesOrNumberedLines) {
  EXPECT_THAT(labels("cat\r\ndog\n\n").names, ElementsAre("cat", "dog"));
  EXPECT_THAT(labels("0 person\n2  car\n").names, ElementsAre("person", "", "car"));
  EXPECT_THAT(labels("1: person\n3: car").names, ElementsAre("", "person", "", "car"));
  EXPECT_THAT(labels("3 dogs\n3 cats\n").names, ElementsAre("3 dogs", "3 cats")) << "these numbers are part of the names";
  EXPECT_THAT(labels("0\n1\n2\n").names, ElementsAre("0", "1", "2"));
  EXPECT_FALSE(labels_in("\n\n", "x"));
}

TEST(Labels, OffsetFollowsTheBackgroundOfFileAndModel) {
  const Labels plain = labels("cat\ndog\nbird");
  EXPECT_EQ(label_offset(plain, 3), 0);
  EXPECT_EQ(label_offset(plain, 4), -1) << "the model counts a background that the file leaves out";
  EXPECT_EQ(label_offset(plain, 2), std::nullopt);
  EXPECT_EQ(label_offset(plain, 5), std::nullopt);
  for (const auto* first : {"???", "background", "Background", "__background__", "unlabeled"}) {
    const Labels with_background = labels(std::string(first) + "\ncat\ndog\nbird");
    EXPECT_EQ(label_offset(with_background, 4), 0) << first;
    EXPECT_EQ(label_offset(with_background, 3), 1) << first;
    EXPECT_EQ(label_offset(with_background, 5), std::nullopt) << first;
    EXPECT_EQ(label_offset_without_count(with_background), 1) << first;
  }
  EXPECT_EQ(label_offset_without_count(plain), 0);
}

TEST(Labels, RemarksAfterAnEmptyLineAreNoClasses) {
  EXPECT_EQ(label_offset(labels("background\ncat\n\nand 255 is not counted\n"), 2), 0);
  EXPECT_EQ(label_offset(labels("background\ncat\nand 255 is not counted\n"), 2), 1) << "without the empty line these are names";
}

TEST(Labels, NamesComeFromTheShiftedLine) {
  const Labels plain = labels("cat\ndog");
  EXPECT_EQ(label_of(plain, 1, 0), "dog");
  EXPECT_EQ(label_of(plain, 1, -1), "cat");
  EXPECT_EQ(label_of(plain, 0, -1), "background");
  EXPECT_EQ(label_of(plain, 0, 1), "dog");
  EXPECT_EQ(label_of(plain, 7, 0), "");
  EXPECT_EQ(label_of(plain, SIZE_MAX, 1), "cat");
}

}  // namespace
}  // namespace nnvk::tools::answers
