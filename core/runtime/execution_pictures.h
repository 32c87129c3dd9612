// The inputs of one computation, with pictures as tensors: the model's device converts the pictures before the model runs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/execution_bindings.h"
#include "core/runtime/fence.h"
#include "core/runtime/picture_input.h"

namespace nnvk {

struct ConversionTimes {
  uint64_t hardware = 0;  // nanoseconds
  uint64_t driver = 0;
};

// The converted pictures of an execution. The object keeps the pictures; owners hold it at least until the submission that reads
// bindings() has settled.
class ConvertedInputs {
 public:
  // Starts converting the pictures for the execution `request`, on the model's device or the fallback's: as they are now, or as
  // they are after the submissions `request.behind`. In the second case, fails if the device does not keep that order.
  static Result<std::shared_ptr<const ConvertedInputs>> start(const Compilation& compilation, const ExecutionBindings& bindings,
                                                              bool on_fallback, const Request& request);

  std::span<const Binding> bindings() const { return bindings_; }
  Fence ready() const;
  // Returns the places of the pending conversions in the device's queue; nothing if a submission cannot follow one of them there.
  std::optional<std::vector<std::shared_ptr<const QueuePlace>>> places() const;
  // Returns the sum of the conversions' times so far; it is final once ready() has settled.
  ConversionTimes times() const;

 private:
  std::vector<std::shared_ptr<const ConvertedPicture>> pictures_;
  std::vector<Binding> bindings_;
};

}  // namespace nnvk
