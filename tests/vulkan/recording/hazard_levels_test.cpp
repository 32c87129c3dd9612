// Levels of invented dispatches.
#include "vulkan/recording/hazard_levels.h"

#include <gtest/gtest.h>

#include <random>

namespace nnvk::vulkan {
namespace {

ByteAccess read(uint32_t resource, uint64_t begin = 0, uint64_t end = 16) { return {resource, begin, end, false}; }
ByteAccess write(uint32_t resource, uint64_t begin = 0, uint64_t end = 16) { return {resource, begin, end, true}; }
using Levels = std::vector<uint32_t>;
using Program = std::vector<std::vector<ByteAccess>>;

TEST(HazardLevels, IndependentDispatchesShareALevel) {
  EXPECT_EQ(assign_levels(Program{{read(0), write(1)}, {read(0), write(2)}, {read(3), write(4)}}), (Levels{0, 0, 0}));
}

TEST(HazardLevels, AReaderComesAfterItsWriter) {
  EXPECT_EQ(assign_levels(Program{{write(1)}, {read(1), write(2)}, {read(2)}}), (Levels{0, 1, 2}));
}

TEST(HazardLevels, AWriterComesAfterEarlierReadersAndWriters) {
  EXPECT_EQ(assign_levels(Program{{read(1)}, {write(1)}}), (Levels{0, 1}));
  EXPECT_EQ(assign_levels(Program{{write(1)}, {write(1)}}), (Levels{0, 1}));
}

TEST(HazardLevels, BranchesRunSideBySideAndJoin) {
  EXPECT_EQ(assign_levels(Program{{write(0)}, {read(0), write(1)}, {read(0), write(2)}, {read(1), read(2), write(3)}}),
            (Levels{0, 1, 1, 2}));
}

TEST(HazardLevels, ParallelWritersOfDisjointRangesDoNotWait) {
  EXPECT_EQ(assign_levels(Program{{write(0, 0, 16)}, {write(0, 16, 32)}, {read(0, 0, 32)}}), (Levels{0, 0, 1}));
}

TEST(HazardLevels, OverlapByOneByteIsAConflictAndTouchingIsNot) {
  EXPECT_EQ(assign_levels(Program{{write(0, 0, 17)}, {read(0, 16, 32)}}), (Levels{0, 1}));
  EXPECT_EQ(assign_levels(Program{{write(0, 0, 16)}, {read(0, 16, 32)}}), (Levels{0, 0}));
}

// Rows of `row` bytes, 16 bytes apart.
ByteAccess write_rows(uint64_t begin, uint64_t row, uint64_t end = 64) { return {0, begin, end, true, 16, row}; }

TEST(HazardLevels, WritersOfRowsSideBySideDoNotWait) {
  EXPECT_EQ(assign_levels(Program{{write_rows(0, 4)}, {write_rows(4, 8)}, {write_rows(12, 4)}, {read(0, 0, 64)}}),
            (Levels{0, 0, 0, 1}));
}

TEST(HazardLevels, RowsThatShareAByteConflict) {
  EXPECT_EQ(assign_levels(Program{{write_rows(0, 5)}, {write_rows(4, 4)}}), (Levels{0, 1}));
  EXPECT_EQ(assign_levels(Program{{write_rows(4, 4)}, {write_rows(0, 5)}}), (Levels{0, 1}));
  EXPECT_EQ(assign_levels(Program{{write_rows(12, 4)}, {write_rows(16, 4, 68)}, {write_rows(28, 4, 70)}}), (Levels{0, 0, 1}));
}

TEST(HazardLevels, RowsOfAnotherStrideConflictWhereTheirBytesMeet) {
  EXPECT_EQ(assign_levels(Program{{write_rows(0, 4)}, {ByteAccess{0, 4, 64, true, 32, 4}}}), (Levels{0, 1}));
  EXPECT_EQ(assign_levels(Program{{write_rows(0, 4)}, {write(0, 4, 8)}}), (Levels{0, 1}));
}

TEST(HazardLevels, RowsDoNotHideEarlierWrites) {
  EXPECT_EQ(assign_levels(Program{{write(0, 0, 64)}, {write_rows(0, 4)}, {read(0, 8, 12), write(1)}}), (Levels{0, 1, 2}));
}

TEST(HazardLevels, EmptyRangesNeverConflict) { EXPECT_EQ(assign_levels(Program{{write(0)}, {write(0, 8, 8)}}), (Levels{0, 0})); }

TEST(HazardLevels, ADispatchDoesNotConflictWithItself) { EXPECT_EQ(assign_levels(Program{{read(0), write(0)}}), (Levels{0})); }

TEST(HazardLevels, ALateIndependentDispatchMovesUp) {
  EXPECT_EQ(assign_levels(Program{{write(0)}, {read(0), write(1)}, {read(9), write(8)}}), (Levels{0, 1, 0}));
}

// Against the definition, checked pair by pair.
TEST(HazardLevels, RandomProgramsAreLevelledExactly) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Program program(random() % 20 + 1);
    for (auto& dispatch : program) {
      for (uint32_t n = random() % 4; n > 0; --n) {
        const uint64_t begin = random() % 8;
        dispatch.push_back({static_cast<uint32_t>(random() % 3), begin, begin + random() % 6, random() % 2 == 0});
      }
    }
    const Levels levels = assign_levels(program);
    Levels expected;
    for (size_t i = 0; i < program.size(); ++i) {
      uint32_t level = 0;
      for (size_t j = 0; j < i; ++j) {
        for (const ByteAccess& a : program[j]) {
          for (const ByteAccess& b : program[i]) {
            const bool overlap = a.resource == b.resource && std::max(a.begin, b.begin) < std::min(a.end, b.end);
            if (overlap && (a.writes || b.writes)) level = std::max(level, expected[j] + 1);
          }
        }
      }
      expected.push_back(level);
    }
    ASSERT_EQ(levels, expected) << "round " << round;
  }
}

}  // namespace
}  // namespace nnvk::vulkan
