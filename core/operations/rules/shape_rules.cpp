// Rules that the shape functions of many operations share.
#include "core/operations/rules/shape_rules.h"

#include <algorithm>

#include "core/base/shortest_text.h"

namespace nnvk {

Shape unknown_dimensions(size_t rank) { return Shape(std::vector<uint32_t>(rank, kUnknownDimension)); }

Shape unknown_dimensions_of_length(const Shape& vector) {
  // Far beyond any rank that an operation accepts: keeps a hostile length from allocating gigabytes.
  constexpr uint32_t kLongestShape = 64;
  if (vector.rank() != 1 || vector[0] > kLongestShape) return Shape::unknown_rank();
  return unknown_dimensions(vector[0]);
}

std::optional<bool> optional_flag(const OperationView& operation, size_t i) {
  if (i >= operation.inputs.size()) return false;
  const auto flag = operation.scalar<uint8_t>(i);
  return flag ? std::optional<bool>(*flag != 0) : std::nullopt;
}

std::string input_name(size_t i) { return "input " + std::to_string(i); }

std::optional<size_t> known_rank(const OperationView& operation, size_t i) {
  if (!operation.has(i) || !operation.shape(i).rank_known) return std::nullopt;
  return operation.shape(i).rank();
}

Status check_shape_rank(const Shape& shape, const std::string& what, size_t min, size_t max, Code code) {
  if (!shape.rank_known || (shape.rank() >= min && shape.rank() <= max)) return {};
  const std::string wanted = min == max        ? std::to_string(min)
                             : max == SIZE_MAX ? "at least " + std::to_string(min)
                                               : std::to_string(min) + " to " + std::to_string(max);
  return fail(code, what + " must have rank " + wanted + ", but has " + std::to_string(shape.rank()));
}

Status check_rank(const OperationView& operation, size_t i, size_t min, size_t max, Code code) {
  if (!operation.has(i)) return {};
  return check_shape_rank(operation.shape(i), input_name(i), min, max, code);
}

Status check_rank4(const OperationView& operation) { return check_rank(operation, kFirstInput, 0, 4, Code::kBadData); }

bool has_zero_point_0(const OperationView& operation) { return operation.input(kFirstInput).zero_point == 0; }

bool same_quantization(const OperandInfo& a, const OperandInfo& b) { return a.scale == b.scale && a.zero_point == b.zero_point; }

Status check_same_quantization(const OperandInfo& a, const OperandInfo& b, const std::string& what, Code code) {
  if (same_quantization(a, b)) return {};
  return fail(code, what + " must have the same scale and zero point, but have " + shortest_text(a.scale) + ", " +
                        std::to_string(a.zero_point) + " and " + shortest_text(b.scale) + ", " + std::to_string(b.zero_point));
}

Status check_outputs_keep_quantization(const OperationView& operation, size_t i) {
  if (!operation.has(i) || !is_quant8_asymm(operation.input(i).type)) return {};
  for (size_t k = 0; k < operation.outputs.size(); ++k) {
    if (operation.output(k).type != operation.input(i).type) continue;
    NNVK_TRY(check_same_quantization(operation.input(i), operation.output(k), input_name(i) + " and output " + std::to_string(k),
                                     Code::kOpFailed));
  }
  return {};
}

Status check_output_repeats_input(const OperationView& operation) {
  const OperandInfo& input = operation.input(kFirstInput);
  const OperandInfo& output = operation.output(kFirstOutput);
  const size_t rank = input.shape.rank();
  if (input.shape.rank_known) NNVK_TRY(check_shape_rank(output.shape, "output 0", rank, rank, Code::kBadData));
  return is_quant8_asymm(input.type) ? check_same_quantization(input, output, "input 0 and output 0", Code::kBadData) : Status{};
}

Status check_quantization(const OperandInfo& operand, float scale, int32_t zero_point, const std::string& what) {
  if (operand.scale == scale && operand.zero_point == zero_point) return {};
  return fail(Code::kOpFailed, what + " must have scale " + shortest_text(scale) + " and zero point " +
                                   std::to_string(zero_point) + ", but has " + shortest_text(operand.scale) + " and " +
                                   std::to_string(operand.zero_point));
}

Result<uint32_t> normalize_axis(int32_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  const int64_t index = axis < 0 ? axis + signed_rank : axis;
  if (index < 0 || index >= signed_rank) {
    return fail(Code::kOpFailed,
                "axis " + std::to_string(axis) + " is outside [-" + std::to_string(rank) + ", " + std::to_string(rank) + ")");
  }
  return static_cast<uint32_t>(index);
}

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  if (!a.rank_known || !b.rank_known) return Shape::unknown_rank();
  const size_t rank = std::max(a.rank(), b.rank());
  Shape out = unknown_dimensions(rank);
  for (size_t from_end = 1; from_end <= rank; ++from_end) {
    const uint32_t x = from_end <= a.rank() ? a[a.rank() - from_end] : 1;
    const uint32_t y = from_end <= b.rank() ? b[b.rank() - from_end] : 1;
    uint32_t& result = out.dims[rank - from_end];
    if (x == 1 || (!is_known(x) && y != 1)) {
      result = y;
    } else if (x == y || y == 1 || !is_known(y)) {
      result = x;
    } else {
      return fail(Code::kOpFailed, "shapes " + a.to_string() + " and " + b.to_string() + " cannot be broadcast to each other");
    }
  }
  return out;
}

Result<Shape> common_shape(const OperationView& operation, size_t first, size_t end) {
  Shape common = operation.shape(first);
  for (size_t i = first + 1; i < end; ++i) {
    auto both = merge_shapes(common, operation.shape(i));
    if (!both) {
      return fail(Code::kOpFailed, "inputs " + std::to_string(first) + " and " + std::to_string(i) +
                                       " must have the same shape, but have " + operation.shape(first).to_string() + " and " +
                                       operation.shape(i).to_string());
    }
    common = *std::move(both);
  }
  return common;
}

Result<uint32_t> checked_dimension(int64_t value, const std::string& what) {
  if (value < 0 || value > INT32_MAX) {
    return fail(Code::kOpFailed, what + " must be from 0 to 2147483647, but comes out as " + std::to_string(value));
  }
  return static_cast<uint32_t>(value);
}

uint32_t multiply_dimensions(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0) return 0;
  if (!is_known(a) || !is_known(b)) return kUnknownDimension;
  const uint64_t product = uint64_t{a} * b;
  return static_cast<uint32_t>(std::min<uint64_t>(product, kUnknownDimension - 1));
}

Result<std::vector<Shape>> infer_same_as_input(const OperationView& operation) {
  return std::vector<Shape>{operation.shape(kFirstInput)};
}

Result<std::vector<Shape>> infer_same_as_rank4_input(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, kFirstInput, 0, 4, Code::kOpFailed));
  return infer_same_as_input(operation);
}

Result<std::vector<Shape>> infer_broadcast(const OperationView& operation) {
  NNVK_ASSIGN(Shape shape, broadcast_shapes(operation.shape(kFirstInput), operation.shape(kSecondInput)));
  return std::vector<Shape>{std::move(shape)};
}

}  // namespace nnvk
