// Declares the model of a generated case: operands in the operation's order. Their random values depend only on the seed, the
// case's name and the operand's number.
#pragma once

#include <android/NeuralNetworks.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

using Dims = std::vector<uint32_t>;

// Short names of the operand types.
inline constexpr int32_t kFloat32 = ANEURALNETWORKS_TENSOR_FLOAT32;
inline constexpr int32_t kFloat16 = ANEURALNETWORKS_TENSOR_FLOAT16;
inline constexpr int32_t kInt32 = ANEURALNETWORKS_TENSOR_INT32;
inline constexpr int32_t kBool8 = ANEURALNETWORKS_TENSOR_BOOL8;
inline constexpr int32_t kQuant8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
inline constexpr int32_t kQuant8Signed = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
inline constexpr int32_t kQuant8Symm = ANEURALNETWORKS_TENSOR_QUANT8_SYMM;
inline constexpr int32_t kQuant8Channel = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
inline constexpr int32_t kQuant16 = ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
inline constexpr int32_t kQuant16Asymm = ANEURALNETWORKS_TENSOR_QUANT16_ASYMM;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Types that many operations accept.
inline const std::vector<int32_t> kFloats{kFloat32, kFloat16};
inline const std::vector<int32_t> kBytes{kQuant8, kQuant8Signed};
inline const std::vector<int32_t> kFour{kFloat32, kFloat16, kQuant8, kQuant8Signed};
inline const std::vector<int32_t> kFive{kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed};

// Returns the name of a type, such as "float32" or "quant8_signed": the third part of case names.
std::string type_label(int32_t type);
// Writes dimensions as "2x3x5"; "scalar" for {}.
std::string dims_label(const Dims& dims);
uint64_t element_count(const Dims& dims);

// An operand. tensor() makes it, and its functions return changed copies.
struct Tensor {
  int32_t type = kFloat32;
  Dims dims;
  float scale = 0;
  int32_t zero_point = 0;
  std::vector<float> channel_scales{};  // TENSOR_QUANT8_SYMM_PER_CHANNEL
  uint32_t channel_axis = 0;

  Tensor quantized(float new_scale, int32_t new_zero_point) const;
  // Returns the tensor with a scale per element of dimension `axis`; the scales differ slightly.
  Tensor per_channel(uint32_t axis, float around) const;
};

// Makes a tensor. Quantized types get a scale and a zero point inside their range (kTypes in draft.cpp); quant8_channel gets
// scales around 1/64 along dimension 0.
Tensor tensor(int32_t type, Dims dims);

// The choice of an operand's values.
struct Values {
  enum class Kind {
    kDefault,     // floats: multiples of 1/64 in [-2, 2]; int32: -100..100; bool: both; quantized: all stored values
    kReals,       // reals between low and high, in 1024 steps; quantized types store the nearest value
    kStored,      // stored integers from low to high
    kEach,        // the function's real number for every element: the same for every seed
    kEachStored,  // the same for stored integers
  };
  Kind kind = Kind::kDefault;
  double low = 0;
  double high = 0;
  std::function<double(uint64_t element)> each{};
};

Values reals(double low, double high);
Values stored(int64_t low, int64_t high);
// Returns these real numbers, repeated as often as needed; float tensors keep NaN, infinities and -0.0.
Values listed(std::vector<double> values);
// Returns the function's value for every element: a real number, or a stored integer for each_stored().
Values each(std::function<double(uint64_t element)> value);
Values each_stored(std::function<double(uint64_t element)> value);
// Returns 0, 1, ... 255, 0, 1, ...: the bytes of an 8-bit tensor.
Values every_byte();
// Returns a number in [0, 1) for each() and each_stored(): it looks random, but is the same for every seed.
double scattered(uint64_t element);

class Draft {
 public:
  Draft(std::string name, uint64_t seed) : name_(std::move(name)), seed_(seed) {}

  // Each of these functions declares the next operand and returns its index.
  uint32_t input(const Tensor& tensor, const Values& values = {});     // a model input
  uint32_t constant(const Tensor& tensor, const Values& values = {});  // part of the model
  // Declares a weight: a constant of the model or, if `given`, an input of the execution.
  uint32_t weight(const Tensor& tensor, const Values& values, bool given);
  uint32_t int32s(const std::vector<int32_t>& values);  // a constant INT32 tensor of rank 1
  uint32_t int32(int32_t value);                        // scalars
  uint32_t boolean(bool value);
  uint32_t real(double value, int32_t type = kFloat32);  // FLOAT32, or FLOAT16 with type kFloat16
  // Declares a scalar of type FLOAT32 or FLOAT16 if `type` is a tensor of that type, else INT32.
  uint32_t number(double value, int32_t type);
  uint32_t omitted(const Tensor& tensor);         // an optional operand without value
  uint32_t output(const Tensor& tensor);          // a model output; the reference device computes its shape
  uint32_t ignored_output(const Tensor& tensor);  // a model output with undefined contents

  // Declares an operand that is empty when the case is computed (dims with a 0): the result of a SLICE that selects nothing from
  // an input. Inputs and constants cannot be empty, because 0 in a declaration means "unknown".
  uint32_t empty(const Tensor& tensor);

  // These functions serve models of several operations. If nobody calls operation(), the case has only its row's operation, with
  // all operands in the order of their declaration.
  uint32_t temporary(const Tensor& tensor);  // unchanged dims; 0 and {} mean unknown
  void operation(int32_t code, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs);
  // Declares an output like output(), but with these dims: for graphs inside other graphs.
  uint32_t output_of(const Tensor& tensor);
  // Adds a graph as an operand of IF and WHILE. nested() makes its draft.
  uint32_t subgraph(Draft&& body);
  Draft nested(const std::string& suffix) const { return {name_ + suffix, seed_}; }

  // Sets the difference that float results may have, in place of the format's tolerance. The caller must say why.
  void tolerance(double absolute, double relative) { case_.float_tolerance = Tolerance{absolute, relative}; }
  void relax() { case_.relaxed = true; }

  // Finishes the case and returns it. `code`: the case's operation if nobody called operation().
  VectorCase finish(int32_t code);

 private:
  uint32_t add(const Tensor& tensor, Lifetime lifetime);
  uint32_t scalar(int32_t type, std::vector<uint8_t> bytes);
  std::vector<uint8_t> bytes_of(const Tensor& tensor, const Values& values) const;

  std::string name_;
  uint64_t seed_;
  VectorCase case_;
  std::vector<uint32_t> arguments_;  // operands of the row's operation, in order
  bool explicit_operations_ = false;
};

}  // namespace nnvk::tools::conformance
