// The kernel that looks bytes up in a table, for functions that are no operation of their own.
#pragma once

#include <memory>

#include "core/operations/parameters/quantized_unary.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Makes a kernel that replaces each of `count` bytes of input 0 by its entry in the table.
std::unique_ptr<OptimizedKernel> make_byte_table_kernel(size_t count, const ByteTable& table);

}  // namespace nnvk::cpu
