// Builds one operation by hand, for tests of check and infer.
#pragma once

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "core/operations/operation_definition.h"

namespace nnvk::test {

class OperationFixture {
 public:
  explicit OperationFixture(OperationCode code) : code_(code) {}

  // Adds an input whose value is unknown to the host.
  OperationFixture& tensor(Shape shape, OperandType type = OperandType::kTensorFloat32, float scale = 0, int32_t zero_point = 0) {
    add({type, std::move(shape), scale, zero_point, nullptr, nullptr}, true, {});
    return *this;
  }
  OperationFixture& omitted(Shape shape, OperandType type) {
    add({type, std::move(shape), 0, 0, nullptr, nullptr}, false, {});
    return *this;
  }
  // Adds a TENSOR_INT32 with known values; one-dimensional unless a shape is given.
  OperationFixture& list(const std::vector<int32_t>& values) { return list(values, {static_cast<uint32_t>(values.size())}); }
  OperationFixture& list(const std::vector<int32_t>& values, Shape shape) {
    return with_value({OperandType::kTensorInt32, std::move(shape), 0, 0, nullptr, nullptr}, values.data(), values.size() * 4);
  }
  OperationFixture& scalar(int32_t value) { return with_value(scalar_info(OperandType::kInt32), &value, sizeof value); }
  OperationFixture& scalar(float value) { return with_value(scalar_info(OperandType::kFloat32), &value, sizeof value); }
  OperationFixture& flag(bool value) {
    const uint8_t byte = value ? 1 : 0;
    return with_value(scalar_info(OperandType::kBool), &byte, 1);
  }
  // A scalar whose value is unknown to the host.
  OperationFixture& unknown_scalar(OperandType type = OperandType::kInt32) { return tensor({}, type); }
  OperationFixture& output(Shape shape, OperandType type = OperandType::kTensorFloat32, float scale = 0, int32_t zero_point = 0) {
    infos_.push_back({type, std::move(shape), scale, zero_point, nullptr, nullptr});
    outputs_.push_back(&infos_.back());
    return *this;
  }

  OperationView view() const { return {code_, inputs_, outputs_}; }
  Result<int> check() const { return check_operation(view()); }
  // Feature level needed; 0 when the operation is refused.
  int level() const { return check().value_or(0); }
  Result<std::vector<Shape>> infer() const { return infer_output_shapes(view()); }
  // Shape of output `i` as text, or the result code's name.
  std::string shape(size_t i = 0) const {
    const auto shapes = infer();
    return shapes ? (*shapes)[i].to_string() : code_name(shapes.error().code);
  }

 private:
  static OperandInfo scalar_info(OperandType type) { return {type, Shape{}, 0, 0, nullptr, nullptr}; }
  OperationFixture& with_value(OperandInfo info, const void* data, size_t size) {
    values_.emplace_back(size);
    if (size != 0) std::memcpy(values_.back().data(), data, size);
    add(std::move(info), true, values_.back());
    return *this;
  }
  void add(OperandInfo info, bool present, std::span<const std::byte> value) {
    infos_.push_back(std::move(info));
    inputs_.push_back({&infos_.back(), present, value});
  }

  OperationCode code_;
  std::deque<OperandInfo> infos_;  // stable addresses
  std::deque<std::vector<std::byte>> values_;
  std::vector<OperandView> inputs_;
  std::vector<const OperandInfo*> outputs_;
};

}  // namespace nnvk::test
