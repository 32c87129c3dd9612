// The description of an operand: type, shape and quantization. Plain data shared by models, plans, shape functions and devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/extension.h"

namespace nnvk {

// The values of ANEURALNETWORKS_* OperandCode (the api folder asserts it). Extension types have their prefix in the high half.
enum class OperandType : int32_t {
  kFloat32 = 0,
  kInt32 = 1,
  kUint32 = 2,
  kTensorFloat32 = 3,
  kTensorInt32 = 4,
  kTensorQuant8Asymm = 5,
  kBool = 6,
  kTensorQuant16Symm = 7,
  kTensorFloat16 = 8,
  kTensorBool8 = 9,
  kFloat16 = 10,
  kTensorQuant8SymmPerChannel = 11,
  kTensorQuant16Asymm = 12,
  kTensorQuant8Symm = 13,
  kTensorQuant8AsymmSigned = 14,
  kModel = 15,
  kOemScalar = 10000,
  kTensorOemByte = 10001,
};

// Returns "TENSOR_FLOAT32" and so on. Returns "extension type 0x..." or "type N" for types that are not NNAPI's.
std::string operand_type_name(OperandType type);
bool is_known_operand_type(OperandType type);  // built-in or OEM, not extension
bool is_extension_type(OperandType type);
// These functions return true for built-in scalar or tensor types. Both return false for extension types, which OperandInfo
// describes.
bool is_scalar_type(OperandType type);
bool is_tensor_type(OperandType type);
// Returns the bytes of one element; 0 for MODEL, OEM_SCALAR and extension types.
size_t element_size(OperandType type);
// Returns the NNAPI feature level (1..8) that introduced the type.
int operand_type_feature_level(OperandType type);

bool is_quant8_asymm(OperandType type);  // TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED
bool is_float_tensor(OperandType type);  // TENSOR_FLOAT32, TENSOR_FLOAT16

// Says where the value of an operand comes from, in models and in plans. A kSubgraph is a model that an IF or WHILE runs.
enum class TensorRole : uint8_t { kTemporary, kInput, kOutput, kConstant, kOmitted, kSubgraph };

// An unknown dimension. NNAPI writes 0 for it; inside nnvk, a dimension of 0 is known, and the tensor is empty.
inline constexpr uint32_t kUnknownDimension = std::numeric_limits<uint32_t>::max();

// The dimensions of a tensor. A scalar has rank 0 and rank_known; a shape of unknown rank has !rank_known and no dimensions.
struct Shape {
  std::vector<uint32_t> dims;
  bool rank_known = true;

  Shape() = default;
  Shape(std::initializer_list<uint32_t> d) : dims(d) {}
  explicit Shape(std::vector<uint32_t> d) : dims(std::move(d)) {}
  static Shape unknown_rank() {
    Shape s;
    s.rank_known = false;
    return s;
  }

  size_t rank() const { return dims.size(); }
  uint32_t operator[](size_t i) const { return dims[i]; }
  // Returns true if the rank and every dimension are known (a dimension may be 0: the tensor is empty).
  bool fully_known() const;
  // Returns the product of the dimensions (1 for a scalar), at most UINT64_MAX. Requires fully_known().
  uint64_t element_count() const;
  std::string to_string() const;  // "[1, ?, 3]", "[unknown rank]"
  bool operator==(const Shape&) const = default;
};

// Fills the unknown parts of each shape from the other one. Returns nullopt if the shapes contradict each other.
std::optional<Shape> merge_shapes(const Shape& a, const Shape& b);

// The scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL along dimension `channel_dim`.
struct ChannelQuant {
  uint32_t channel_dim = 0;
  std::vector<float> scales;
  bool operator==(const ChannelQuant&) const = default;
};

// Type, shape and quantization of one operand.
struct OperandInfo {
  OperandType type = OperandType::kFloat32;
  Shape shape;
  float scale = 0.0F;
  int32_t zero_point = 0;
  std::shared_ptr<const ChannelQuant> channel_quant;  // only TENSOR_QUANT8_SYMM_PER_CHANNEL
  std::shared_ptr<const ExtensionOperand> extension;  // of every extension type and of no other

  bool is_scalar() const { return extension != nullptr ? !extension->type.is_tensor : is_scalar_type(type); }
  bool is_tensor() const { return extension != nullptr ? extension->type.is_tensor : is_tensor_type(type); }
  // Returns the bytes of the value; 0 for MODEL and OEM_SCALAR; nullopt if the shape is not fully known or the size exceeds
  // 2^32-1.
  std::optional<uint64_t> byte_size() const;
};

}  // namespace nnvk
