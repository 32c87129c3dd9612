// Adds operands and operations to the NNAPI model, and remembers for every tensor its ONNX shape and, if known, its contents.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "importers/client_names.h"
#include "importers/import_budget.h"
#include "importers/onnx/constant.h"

namespace nnvk::importers::onnx {

inline constexpr int32_t kNoType = -1;  // of constants whose type NNAPI does not have

// A tensor as operator functions pass it around. A constant becomes an operand only when an operation reads it.
struct Tensor {
  int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
  Dimensions dimensions;  // as ONNX counts them: empty for rank 0, which NNAPI has as [1]
  float scale = 0;        // 8-bit tensors: never 0; plain integers have scale 1 and zero point 0
  int32_t zero_point = 0;
  // The shape of the operand, if it differs from `shape`: the same elements in the same order. Tensors of more than four
  // dimensions have such operands.
  std::optional<Dimensions> stored;
  std::optional<uint32_t> operand;  // of a tensor that is no constant
  ConstantPointer constant;
  // Not empty if the constant's bytes stand in another order: dimension d of the tensor is dimension order[d] of the bytes. Only
  // operands of operations may be such tensors (Emitter::ordered()).
  std::vector<uint32_t> order;

  size_t rank() const { return dimensions.size(); }
  bool fixed() const;  // whether all dimensions are known
  bool is_float() const { return type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT16; }
  bool is_bool() const { return type == ANEURALNETWORKS_TENSOR_BOOL8; }
  bool is_int() const { return type == ANEURALNETWORKS_TENSOR_INT32; }
  bool is_8bit() const { return is_quant8(type); }
  OperandInfo info() const;
  // Returns a tensor of the same type with this shape, still without operand and contents.
  Tensor shaped(Dimensions shape) const;
  Tensor typed(int32_t other) const;
  // as_stored() returns the same elements in the shape of the operand, viewed() in any shape of as many elements.
  Tensor as_stored() const;
  Tensor viewed(Dimensions shape) const;
};
using Tensors = std::vector<Tensor>;

// Returns NNAPI's tensor type for elements of an ONNX type; kNoType if there is none.
int32_t nnapi_type(ElementType type);
// Returns the ONNX type that constants of an NNAPI tensor type get.
ElementType element_type(int32_t type);
// Describes a tensor: "TENSOR_FLOAT32 [1,?,80]".
std::string describe(const Tensor& tensor);

// A scalar in the float type that goes with a tensor's type.
struct Real {
  float value = 0;
  int32_t tensor_type = ANEURALNETWORKS_TENSOR_FLOAT32;
};
struct Omitted {};  // an operand without a value, of the type of the operation's first input
using Argument = std::variant<Tensor, int32_t, bool, Real, std::vector<int32_t>, Omitted>;

class Emitter {
 public:
  Emitter(ModelBuilder& builder, ImportBudget& budget, bool relaxed) : builder_(builder), budget_(budget), relaxed_(relaxed) {}

  // Names the node that the next operations belong to.
  void begin(std::string where) { where_ = std::move(where); }
  ModelBuilder& builder() { return builder_; }
  bool relaxed() const { return relaxed_; }
  const std::vector<std::string>& origins() const { return origins_; }
  // Returns the owners of bytes that operands point to; they must outlive the model.
  const std::vector<std::shared_ptr<const void>>& kept() const { return kept_; }

  // Adds an operation whose results have these types and shapes; fills in their operands.
  Result<Tensors> operations(int32_t code, std::span<const Argument> arguments, Tensors results);
  Result<Tensor> operation(int32_t code, std::initializer_list<Argument> arguments, Tensor result);
  Result<Tensor> operation(int32_t code, std::span<const Argument> arguments, Tensor result);

  // Adds an operand without a value: an input of the model.
  Result<Tensor> input(Tensor described);
  // Returns the operand of a tensor; adds constants to the model at their first use.
  Result<uint32_t> operand(const Tensor& tensor);
  // Makes weights with one scale per element of `channel_dimension`: INT8 constants around 0.
  Result<Tensor> per_channel(const Tensor& constant, uint32_t channel_dimension, std::span<const float> scales);

  // Makes zeros of the float type of `like`. Takes their bytes from the budget first.
  Result<Tensor> zeros(Dimensions dimensions, const Tensor& like);

  // Makes a tensor for a constant. 8-bit ones are plain integers.
  static Tensor constant(ConstantPointer constant);
  // Makes a constant of rank 0 in the type of `like`.
  static Tensor number(double value, const Tensor& like);
  // Makes a constant of 8-bit elements that are all `value`. All such constants of one model share their bytes.
  Tensor repeated(ElementType type, std::byte value, Dimensions dimensions);
  // These functions make constants of rank 1.
  static Tensor numbers(std::span<const double> values, const Tensor& like);
  static Tensor int32s(std::span<const int64_t> values, Dimensions dimensions);

  Status take_bytes(uint64_t bytes, const std::string& what) { return budget_.take_bytes(bytes, what); }

 private:
  Status set_constant(uint32_t operand, const Tensor& tensor, const OperandInfo& info);
  Result<uint32_t> argument(const Argument& argument, int32_t first_type);

  ModelBuilder& builder_;
  ImportBudget& budget_;
  bool relaxed_;
  std::string where_;
  std::vector<std::string> origins_;
  std::vector<std::shared_ptr<const void>> kept_;
  struct Added {
    OperandInfo info;
    std::vector<uint32_t> order;
    uint32_t operand;
    ConstantPointer keep;  // so that no other constant gets this address
  };
  std::multimap<const Constant*, Added> constants_;
  std::map<std::byte, std::shared_ptr<const std::vector<std::byte>>> repeated_;  // the longest row of each value so far
};

}  // namespace nnvk::importers::onnx
