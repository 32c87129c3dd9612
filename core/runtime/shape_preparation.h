// Prepared plans that can compile for shapes which their model leaves open, before an execution has them.
#pragma once

#include <span>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/model/operand.h"

namespace nnvk {

class PreparesShapes {
 public:
  virtual ~PreparesShapes() = default;
  // Compiles for executions whose inputs have these shapes, as far as they are known. Thread-safe. Blocks until then, or until
  // the deadline. Errors are those that such an execution would have.
  virtual Status prepare_shapes(std::span<const Shape> inputs, const Deadline& deadline) = 0;
};

// The most sets of shapes for which a prepared plan keeps what it has compiled.
inline constexpr size_t kPreparedShapes = 8;

}  // namespace nnvk
