// The rows of the reference kernels against the list of operations.
#include "cpu_fallback/reference/families.h"

#include <gtest/gtest.h>

#include "tests/support/operation_family.h"

namespace nnvk::cpu {
namespace {

TEST(ReferenceKernels, EveryRowIsInTheFileOfItsFamily) {
  size_t rows = 0;
#define NNVK_EXPECT_ROWS(family)                                                        \
  for (const KernelRow& row : family##_kernels()) {                                     \
    EXPECT_EQ(test::operation_family(row.code), #family) << operation_name(row.code);   \
    EXPECT_NE(row.kernel, nullptr) << operation_name(row.code);                         \
    EXPECT_EQ(find_reference_kernel(row.code), row.kernel) << operation_name(row.code); \
    ++rows;                                                                             \
  }
  NNVK_KERNEL_FAMILIES(NNVK_EXPECT_ROWS)
#undef NNVK_EXPECT_ROWS
  EXPECT_EQ(rows, static_cast<size_t>(kOperationCount) - 2);  // IF and WHILE are run by the runtime
}

}  // namespace
}  // namespace nnvk::cpu
