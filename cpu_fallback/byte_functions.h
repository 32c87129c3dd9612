// Groups of element-wise nodes whose 8-bit result depends on one 8-bit tensor alone, such as DEQUANTIZE, LOGISTIC and QUANTIZE: a
// table of 256 entries computes each in one step. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/operations/parameters/quantized_unary.h"
#include "core/plan/resolve.h"

namespace nnvk::cpu {

struct ByteFunction {
  std::vector<size_t> nodes;  // indexes in Plan::nodes, ascending; the last one writes `result`
  TensorId source = kNoTensor;
  TensorId result = kNoTensor;
  ByteTable table{};
};

// Finds the groups of at least two nodes among `nodes`, the indexes of those that an execution runs, ascending. No node is in two
// groups, and nothing outside reads what a group computes in between. The tables hold what the reference kernels compute.
std::vector<ByteFunction> find_byte_functions(const Plan& plan, const Resolution& resolution, std::span<const size_t> nodes);

}  // namespace nnvk::cpu
