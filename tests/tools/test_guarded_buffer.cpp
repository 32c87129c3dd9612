// Buffers of conformance cases: they detect every byte written beside an output, and reading past an input ends the process.
#include <gtest/gtest.h>

#include <csignal>
#include <vector>

#include "tools/conformance/guarded_buffer.h"

namespace nnvk::tools::conformance {
namespace {

TEST(GuardedBuffer, NoticesEveryByteThatIsWrittenBesideAnOutput) {
  for (const size_t size : {1UL, 3UL, 64UL, 4095UL, 4096UL, 5000UL}) {
    for (const ptrdiff_t at : {ptrdiff_t{-64}, ptrdiff_t{-1}, static_cast<ptrdiff_t>(size), static_cast<ptrdiff_t>(size) + 63}) {
      GuardedBuffer buffer = GuardedBuffer::output(size);
      buffer.clear();
      EXPECT_EQ(buffer.inside().size(), size);
      EXPECT_TRUE(buffer.intact());
      *(buffer.inside().data() + at) = 0;
      EXPECT_FALSE(buffer.intact()) << at << " of " << size;
    }
  }
}

TEST(GuardedBuffer, HoldsAnInputAndNothingBehindIt) {
  const std::vector<uint8_t> bytes{1, 2, 3, 4, 5};
  GuardedBuffer buffer = GuardedBuffer::input(bytes);
  EXPECT_TRUE(std::ranges::equal(buffer.inside(), bytes));
  EXPECT_TRUE(buffer.intact());
#ifndef __SANITIZE_ADDRESS__
  const volatile uint8_t* const end = buffer.inside().data() + bytes.size();
  EXPECT_EXIT(static_cast<void>(*end), testing::KilledBySignal(SIGSEGV), "");
#endif
}

}  // namespace
}  // namespace nnvk::tools::conformance
