// A growing model: adds operands and operations, and converts tensors for the next operation.
#pragma once

#include <optional>

#include "tools/conformance/generators/decisions.h"
#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

// A model and the known facts about its operands; each list has one entry per operand.
struct RandomGraph {
  VectorCase c;
  std::vector<Dims> shapes{};       // as computed; unknown for scalars, and for shapes that depend on values
  std::vector<Tolerance> errors{};  // by how much the operation that writes it may be off
};

// A tensor that further operations may read.
struct Strand {
  uint32_t operand = 0;
  bool exact = true;    // the same on every device, to the bit
  bool bounded = true;  // its values are small
};

class GrowingGraph {
 public:
  // If `open`, the model declares many operands without some or all of their dimensions.
  GrowingGraph(Decisions& decisions, bool open) : decisions_(decisions), open_(open) {}

  RandomGraph& graph() { return graph_; }
  VectorGraph& main() { return graph_.c.main; }
  const VectorOperand& operand(uint32_t index) const { return graph_.c.main.operands[index]; }
  const Dims& shape(uint32_t index) const { return graph_.shapes[index]; }

  // Adds the operand unchanged. `shape`: its computed shape.
  uint32_t add(VectorOperand operand, Dims shape, Tolerance error = {});
  void add_operation(int32_t code, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs);

  // Adds a tensor that an operation will write, declared with or without its shape.
  uint32_t temporary(const Tensor& tensor, Tolerance error = {});
  // Returns the dimensions with which the model declares a tensor: all, some (the others are 0), or none.
  Dims declared(int32_t type, const Dims& shape);

  // Adds a tensor or scalar with these values (`source.data`): as a constant, as an input, or computed from one of both.
  uint32_t source(VectorOperand source);
  // Adds parameters of converting operations (see fit()) like source(), but mostly as constants.
  uint32_t int32s(const std::vector<int32_t>& values);
  uint32_t int32(int32_t value);

  // Adds operations that convert the strand to this type, quantization and shape; nothing if that is impossible.
  std::optional<Strand> fit(Strand strand, const Tensor& wanted);

 private:
  uint32_t input(VectorOperand source);
  uint32_t transposed_input(VectorOperand source);
  Strand apply(int32_t code, Strand strand, std::vector<uint32_t> parameters, const Tensor& result);
  Strand resized(Strand strand, const Dims& shape);
  std::optional<Strand> converted(Strand strand, const Tensor& wanted);
  Strand clamped(Strand strand);
  Tensor tensor_of(uint32_t operand) const;

  Decisions& decisions_;
  bool open_;
  RandomGraph graph_;
};

// Turns a constant into an input if the model has no input, because a model needs one.
void ensure_an_input(VectorGraph& graph);

// Returns the possible error of an operation's floating-point results of this type.
Tolerance float_error(int32_t type, bool relaxed);

}  // namespace nnvk::tools::conformance
