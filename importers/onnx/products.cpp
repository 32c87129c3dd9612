// FULLY_CONNECTED and BATCH_MATMUL.
#include "importers/onnx/products.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {
namespace {

// Emits a batch of one matrix or of `batch`, in as many dimensions.
Result<Tensor> with_batch(Emitter& emitter, const Tensor& matrix, const Dimensions& batch) {
  Dimensions shape = batch;
  shape.insert(shape.end(), matrix.dimensions.end() - 2, matrix.dimensions.end());
  return expand(emitter, matrix, shape);
}

}  // namespace

Result<Tensor> dense(Emitter& emitter, const Tensor& given, const Tensor& weights, const std::optional<Tensor>& given_bias) {
  if (!given.is_float() || given.type != weights.type)
    return fail("NNAPI multiplies two tensors of the same real type here, but they are " + describe(given) + " and " +
                describe(weights));
  if (weights.rank() != 2 || weights.dimensions[0] < 1 || weights.dimensions[1] < 1)
    return fail("the weights must be a matrix of known shape, but are " + describe(weights));
  const int64_t units = weights.dimensions[0];
  const int64_t depth = weights.dimensions[1];
  if (given.rank() == 0 || (given.dimensions.back() >= 0 && given.dimensions.back() != depth)) {
    return fail("the last dimensions of the input " + describe(given) + " and of the weights " + describe(weights) +
                " must be equal");
  }
  Dimensions shape = given.dimensions;
  shape.back() = units;
  Dimensions rows{-1, units};
  if (given.fixed()) rows[0] = static_cast<int64_t>(element_count(given.dimensions)) / depth;
  if (given.rank() == 2) rows[0] = given.dimensions[0];
  Tensor input = given;
  if (given.rank() < 2 || given.rank() > 4) {
    TOOLS_ASSIGN(input, reshape(emitter, given, {rows[0], depth}));
  }
  TOOLS_ASSIGN(const Tensor bias, given_bias ? Result<Tensor>(*given_bias) : emitter.zeros({units}, input));
  TOOLS_ASSIGN(const Tensor flat,
               emitter.operation(ANEURALNETWORKS_FULLY_CONNECTED, {input, weights, bias, int32_t{ANEURALNETWORKS_FUSED_NONE}},
                                 input.shaped(std::move(rows))));
  return reshape(emitter, flat, std::move(shape));
}

Result<Tensor> matrix_product(Emitter& emitter, const Tensor& left, const Tensor& right) {
  if (left.type != right.type) {
    return fail("its inputs must have the same type, but are " + describe(left) + " and " + describe(right));
  }
  if (left.rank() == 0 || right.rank() == 0) return fail("it cannot multiply scalars");
  const auto open = std::count(left.dimensions.begin(), left.dimensions.end(), -1);
  if (right.constant && right.rank() == 2 && left.is_float() && (open <= 1 || left.rank() == 2)) {
    TOOLS_ASSIGN(const Tensor weights, transpose(emitter, right, std::array<int64_t, 2>{1, 0}));
    return dense(emitter, left, weights, std::nullopt);
  }
  if (!left.is_float() && !left.is_int())
    return fail("NNAPI multiplies matrices of real numbers and of integers only, but its inputs are " + describe(left));
  Tensor a = left;
  Tensor b = right;
  if (left.rank() == 1) {
    TOOLS_ASSIGN(a, reshape(emitter, left, {1, left.dimensions[0]}));
  }
  if (right.rank() == 1) {
    TOOLS_ASSIGN(b, reshape(emitter, right, {right.dimensions[0], 1}));
  }
  const int64_t depth = a.dimensions[a.rank() - 1];
  const int64_t other = b.dimensions[b.rank() - 2];
  if (depth >= 0 && other >= 0 && depth != other)
    return fail("the matrices " + describe(left) + " and " + describe(right) +
                " do not fit: columns of the left and rows of the right must be equal");
  TOOLS_ASSIGN(const Dimensions batch,
               broadcast({a.dimensions.begin(), a.dimensions.end() - 2}, {b.dimensions.begin(), b.dimensions.end() - 2}));
  if (batch.size() > 2)
    return fail("NNAPI multiplies at most 4 dimensions, but the inputs are " + describe(left) + " and " + describe(right));
  TOOLS_ASSIGN(a, with_batch(emitter, a, batch));
  TOOLS_ASSIGN(b, with_batch(emitter, b, batch));
  Dimensions shape = batch;
  shape.push_back(a.dimensions[a.rank() - 2]);
  shape.push_back(b.dimensions[b.rank() - 1]);
  TOOLS_ASSIGN(Tensor result, emitter.operation(ANEURALNETWORKS_BATCH_MATMUL, {a, b, false, false}, a.shaped(shape)));
  if (left.rank() > 1 && right.rank() > 1) return result;
  Dimensions kept = batch;
  if (left.rank() > 1) kept.push_back(shape[shape.size() - 2]);
  if (right.rank() > 1) kept.push_back(shape.back());
  return reshape(emitter, result, std::move(kept));
}

Result<Tensor> along_axis(Emitter& emitter, const Tensor& input, int64_t axis, const Tensor& matrix,
                          const std::optional<Tensor>& bias) {
  const auto last = static_cast<int64_t>(input.rank()) - 1;
  if (axis == last) return dense(emitter, input, matrix, bias);
  std::vector<int64_t> permutation(input.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[static_cast<size_t>(axis)], permutation.back());
  TOOLS_ASSIGN(const Tensor turned, transpose(emitter, input, permutation));
  TOOLS_ASSIGN(const Tensor product, dense(emitter, turned, matrix, bias));
  return transpose(emitter, product, permutation);
}

}  // namespace nnvk::importers::onnx
