// The definition of an operation for every device: its operands, their types, and how output shapes follow from inputs. Data
// where data suffices (OperationDefinition), otherwise two pure functions (check, infer). One row per operation lives in the file
// of its family; find_operation() looks it up. Headers of operations and plans may rely on this one for Result, Shape,
// OperandInfo, optional, span and vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/operations/cost_family.h"
#include "core/operations/operation_code.h"

namespace nnvk {

// For code that serves every operation or many families. All other code calls operands by the names in parameters/.
inline constexpr size_t kFirstInput = 0;
inline constexpr size_t kSecondInput = 1;
inline constexpr size_t kFirstOutput = 0;

// One operand as an operation sees it.
struct OperandView {
  const OperandInfo* info = nullptr;      // never null; its shape may be partly unknown
  bool present = true;                    // false: omitted optional operand
  std::span<const std::byte> value = {};  // the bytes, when the host knows them (constants, host inputs); else empty
};

// One operation with its operands, the argument of check() and infer(). The spans must outlive the view.
struct OperationView {
  OperationCode code{};
  std::span<const OperandView> inputs;
  std::span<const OperandInfo* const> outputs;  // as declared by the model

  // Input i exists in this signature and is not omitted.
  bool has(size_t i) const { return i < inputs.size() && inputs[i].present; }
  const OperandInfo& input(size_t i) const { return *inputs[i].info; }
  const Shape& shape(size_t i) const { return inputs[i].info->shape; }
  const OperandInfo& output(size_t i) const { return *outputs[i]; }

  // Value of scalar input i, or of a one-element tensor; nullopt when absent or unknown to the host.
  template <class T>
  std::optional<T> scalar(size_t i) const {
    if (!has(i) || inputs[i].value.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, inputs[i].value.data(), sizeof(T));
    return value;
  }
  // All values of a host-known tensor input; nullopt when absent or unknown.
  template <class T>
  std::optional<std::vector<T>> values(size_t i) const {
    if (!has(i) || inputs[i].value.data() == nullptr) return std::nullopt;
    std::vector<T> out(inputs[i].value.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), inputs[i].value.data(), out.size() * sizeof(T));
    return out;
  }
};

// Accepted operand types of one variant of an operation (a "type rule" of the specification). For the entry that repeats in
// variadic operations see OperationDefinition::variadic_from.
struct TypeRule {
  int since = 1;                        // feature level that introduced the combination
  std::span<const OperandType> inputs;  // per input of the longest signature; shorter signatures use a prefix
  std::span<const OperandType> outputs;
  // Further condition on scales and zero points that decides the feature level (CONCATENATION, PAD, ...); null: none.
  bool (*applies)(const OperationView& operation) = nullptr;
};

// One way of passing operands: explicit and implicit padding of a convolution are two signatures.
struct Signature {
  int since = 1;
  std::span<const uint8_t> input_counts = {};  // allowed numbers of inputs; empty for variadic operations
  uint8_t output_count = 1;                   // 0: any number >= 1, the last output entry of the rules repeats (SPLIT, IF, WHILE)
  std::span<const TypeRule> type_rules = {};  // one must match exactly; empty: any types, the row's check decides (IF, WHILE)
};

using CheckFunction = Status (*)(const OperationView& operation);
using LevelFunction = int (*)(const OperationView& operation);
using InferFunction = Result<std::vector<Shape>> (*)(const OperationView& operation);
using WorkFunction = uint64_t (*)(const OperationView& operation);
using LayoutFunction = std::optional<struct LayoutUse> (*)(const OperationView& operation);

// Inputs with these bits set are *parameters*: axis, paddings, begin, perm, all scalars. Their values decide shapes or the
// kernel, so the host must know them before a device can record the operation. Bit i = input i; bit 31 = inputs >= 31.
using ParameterMask = uint32_t;

// The rules of addOperation and of shape inference.
struct OperationRules {
  OperationCode code{};
  std::span<const Signature> signatures;
  uint32_t optional_inputs = 0;         // bit i: input i may be omitted (NO_VALUE)
  ParameterMask parameter_tensors = 0;  // tensor inputs that are parameters; scalars always are
  uint32_t shape_only_inputs = 0;       // bit i: only the shape of input i matters, its bytes are never read (RANK)
  bool accepts_empty_inputs = false;    // zero-sized inputs give a zero-sized result (docs/nnapi/shapes.md#zero-sized-tensors)
  Code bad_operand_code = Code::kOpFailed;  // error for an omitted or zero-sized operand at execution.
  // CONCATENATION, PACK, IF, WHILE: this entry of the rules matches as many inputs as needed (at least one). The entries behind
  // it match the last inputs. CONCATENATION: {T, INT32} with variadic_from 0. -1: fixed count.
  int variadic_from = -1;
  // Rules at addOperation that data cannot express (rank limits, scales, channelDim). Ignores operand values. Errors: BAD_DATA.
  // May be null.
  CheckFunction check = nullptr;
  // Output shapes from input shapes and host-known values. Unknown dimensions, ranks and values give unknown outputs (never an
  // error); contradictions give the code of the specification (OP_FAILED or BAD_DATA). If everything is known, so is the result;
  // only sizes that depend on data remain kUnknownDimension.
  InferFunction infer = nullptr;
  // Upper bounds of the shapes that infer() leaves unknown because they depend on data; fully known if all inputs are. Null: no
  // output shape of the operation depends on data. Kernels fill tensors of these shapes and report the valid sizes.
  InferFunction bound = nullptr;
  // Feature level that ranks and scales need beyond signature and types (a SOFTMAX of rank 3 came with level 3). May be null.
  LevelFunction level = nullptr;
};

// A row. families/row_syntax.h makes it: a family cannot leave out the cost and the layout of its operations.
struct OperationDefinition : OperationRules {
  int since;  // feature level of the operation: that of its oldest signature
  CostFamily cost;
  WorkFunction multiply_adds;  // null: none
  LayoutFunction layout;       // what it needs to run in the other layout of images (rules/image_layout.h); never null
};

// The row of a built-in operation; null for every other code (OEM and extension operations included).
const OperationDefinition* find_operation(OperationCode code);

// Everything addOperation checks for a built-in operation: counts, types, then the row's own check. BAD_DATA on failure.
// Writes the feature level that the combination needs to `feature_level`.
Status check_operation(const OperationView& operation, int* feature_level);

// Runs infer() of the row and checks the rules that all operations share: required operands are present, and no input is
// zero-sized unless the operation accepts it. The result must agree with the declared output shapes; returns both merged.
Result<std::vector<Shape>> infer_output_shapes(const OperationView& operation);

// The shapes to allocate: those of infer_output_shapes(), with upper bounds if they depend on data.
Result<std::vector<Shape>> bound_output_shapes(const OperationView& operation, const std::vector<Shape>& inferred);

// True when sizes of the operation's outputs depend on data.
bool has_data_dependent_shapes(OperationCode code);

// True when input i of this operation is optional (NO_VALUE).
bool may_be_omitted(const OperationDefinition& definition, size_t i);

// True when only the shape of input i matters: its bytes are never read.
bool is_shape_only(const OperationDefinition& definition, size_t i);

// True when input i of this operation must be known to the host (a scalar, or a tensor with a parameter bit).
bool is_parameter(const OperationDefinition& definition, const OperandInfo& input, size_t i);

}  // namespace nnvk
