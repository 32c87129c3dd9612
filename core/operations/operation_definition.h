// The definition of an operation for every device: its operands, their types, and how output shapes follow from inputs. It is
// data as far as possible (OperationDefinition), and two pure functions (check, infer). Each operation's row is in the file of
// its family; find_operation() looks it up. Headers may rely on this one for Result, Shape, OperandInfo, optional and span.
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

// Operand numbers for code that serves many families. All other code uses the names of operands in parameters/.
inline constexpr size_t kFirstInput = 0;
inline constexpr size_t kSecondInput = 1;
inline constexpr size_t kFirstOutput = 0;

// One operand as an operation sees it.
struct OperandView {
  const OperandInfo* info = nullptr;      // never null; its shape may be partly unknown
  bool present = true;                    // false: omitted optional operand
  std::span<const std::byte> value = {};  // the bytes, when the host knows them (constants, host inputs); else empty
};

// One operation with its operands, as check() and infer() take it. The spans must outlive the view.
struct OperationView {
  OperationCode code{};
  std::span<const OperandView> inputs;
  std::span<const OperandInfo* const> outputs;  // as declared by the model

  // Returns true if input i exists in this signature and is not omitted.
  bool has(size_t i) const { return i < inputs.size() && inputs[i].present; }
  const OperandInfo& input(size_t i) const { return *inputs[i].info; }
  const Shape& shape(size_t i) const { return inputs[i].info->shape; }
  const OperandInfo& output(size_t i) const { return *outputs[i]; }

  // Returns the value of scalar input i, or of a one-element tensor; nullopt if it is absent or the host does not know it.
  template <class T>
  std::optional<T> scalar(size_t i) const {
    if (!has(i) || inputs[i].value.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, inputs[i].value.data(), sizeof(T));
    return value;
  }
  // Returns all values of a tensor input; nullopt if it is absent or the host does not know them.
  template <class T>
  std::optional<std::vector<T>> values(size_t i) const {
    if (!has(i) || inputs[i].value.data() == nullptr) return std::nullopt;
    std::vector<T> out(inputs[i].value.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), inputs[i].value.data(), out.size() * sizeof(T));
    return out;
  }
};

// The operand types that one variant of an operation accepts (a "type rule" of the specification). OperationRules::variadic_from
// explains the entry that repeats in variadic operations.
struct TypeRule {
  int since = 1;                        // feature level that introduced the combination
  std::span<const OperandType> inputs;  // per input of the longest signature; shorter signatures use a prefix
  std::span<const OperandType> outputs;
  // A further condition on scales and zero points that decides the feature level (CONCATENATION, PAD, ...); null: none.
  bool (*applies)(const OperationView& operation) = nullptr;
};

// One list of operands that the operation accepts: explicit and implicit padding of a convolution are two signatures.
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

// Inputs whose bit is set are *parameters*: axis, paddings, begin, perm, all scalars. Their values decide shapes or the kernel,
// so the host must know them before a device can record the operation. Bit i: input i; bit 31: all inputs >= 31.
using ParameterMask = uint32_t;

// Returns the bit of input i in such a mask.
constexpr uint32_t input_bit(size_t i) { return 1U << (i < 31 ? i : 31); }

// The rules of addOperation and of shape inference for one operation.
struct OperationRules {
  OperationCode code{};
  std::span<const Signature> signatures;
  uint32_t optional_inputs = 0;         // bit i: input i may be omitted (NO_VALUE)
  ParameterMask parameter_tensors = 0;  // tensor inputs that are parameters; scalars always are
  uint32_t shape_only_inputs = 0;       // bit i: only the shape of input i matters, its bytes are never read (RANK)
  bool accepts_empty_inputs = false;    // zero-sized inputs give a zero-sized result (docs/nnapi/shapes.md#zero-sized-tensors)
  Code bad_operand_code = Code::kOpFailed;  // error for an omitted or zero-sized operand at execution.
  // CONCATENATION, PACK, IF, WHILE: this entry of the rules matches one or more inputs; the entries behind it match the last
  // inputs. CONCATENATION: {T, INT32} with variadic_from 0. -1: a fixed number of inputs.
  int variadic_from = -1;
  // Checks at addOperation what data cannot express (rank limits, scales, channelDim), without operand values; null: checks
  // nothing. Errors: BAD_DATA.
  CheckFunction check = nullptr;
  // Computes output shapes from input shapes and values that the host knows. Unknown dimensions, ranks and values give unknown
  // outputs, never an error; contradictions give the specification's code (OP_FAILED or BAD_DATA). If the host knows everything,
  // only sizes that depend on data stay unknown.
  InferFunction infer = nullptr;
  // Computes upper bounds of shapes that infer() leaves unknown because they depend on data; fully known if all inputs are.
  // Kernels fill tensors of these shapes and report the valid sizes. Null: no output shape depends on data.
  InferFunction bound = nullptr;
  // Returns the feature level that ranks and scales need beyond signature and types (SOFTMAX of rank 3: level 3). May be null.
  LevelFunction level = nullptr;
};

// A row, made by families/row_syntax.h, so that no family can leave out the cost and the layout of its operations.
struct OperationDefinition : OperationRules {
  int since;  // feature level of the operation: that of its oldest signature
  CostFamily cost;
  WorkFunction multiply_adds;  // null: none
  LayoutFunction layout;       // what it needs to run in the other layout of images (rules/image_layout.h); never null
};

// Returns the row of a built-in operation; null for every other code (OEM and extension operations included).
const OperationDefinition* find_operation(OperationCode code);

// Checks everything that addOperation checks for a built-in operation: counts, types, the row's own check. BAD_DATA on failure.
// Returns the feature level that the combination needs.
Result<int> check_operation(const OperationView& operation);

// Runs infer() and checks the rules that all operations share: required operands are present, and no input is empty unless the
// operation accepts that. The result must agree with the declared output shapes. Returns the shapes merged from both.
Result<std::vector<Shape>> infer_output_shapes(const OperationView& operation);

// Returns the shapes to allocate: those of infer_output_shapes(), with upper bounds for sizes that depend on data.
Result<std::vector<Shape>> bound_output_shapes(const OperationView& operation, const std::vector<Shape>& inferred);

// Returns true if sizes of the operation's outputs depend on data.
bool has_data_dependent_shapes(OperationCode code);

// Returns true if input i of this operation is optional (NO_VALUE).
bool may_be_omitted(const OperationDefinition& definition, size_t i);

// Returns true if only the shape of input i matters, because nothing reads its bytes.
bool is_shape_only(const OperationDefinition& definition, size_t i);

// Returns true if the host must know input i of this operation (a scalar, or a tensor with a parameter bit).
bool is_parameter(const OperationDefinition& definition, const OperandInfo& input, size_t i);

}  // namespace nnvk
