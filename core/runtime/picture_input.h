// Pictures bound to the inputs of executions: converted into tensors on the device that runs the model, before it runs.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/operations/parameters/picture_conversion.h"
#include "core/runtime/device.h"

namespace nnvk {

class Memory;
class PreparedConversion;

// The pixels of a picture as they are now, readable while this object lives.
class PicturePixels {
 public:
  virtual ~PicturePixels() = default;
  virtual const PictureLayout& layout() const = 0;
  virtual std::span<const std::byte> bytes() const = 0;
  // The lasting mapping that the bytes lie in, which devices may import; null where there is none.
  virtual std::shared_ptr<MappedMemory> mapping() const { return nullptr; }
};

// A picture on its way into an input. Keeps what the conversion needs, and its result, until the last owner lets go: not before
// the submission that reads binding() has settled.
class ConvertedPicture {
 public:
  virtual ~ConvertedPicture() = default;
  // Where the tensor is once ready() has settled.
  virtual const Binding& binding() const = 0;
  virtual const Fence& ready() const = 0;
  // Of the conversion, final once ready() has settled.
  virtual const ExecutionReport& report() const = 0;
};

// What a conversion is to give, and how it may run.
struct PictureRequest {
  const Memory& memory;  // a picture
  PictureConversion conversion;
  const OperandInfo& tensor;    // of the input
  bool stays_on_device = true;  // false: the result must be in host memory
  Deadline deadline;
  bool may_run_inline = false;
  bool measure_timing = false;
  int32_t priority = 100;  // ANEURALNETWORKS_PRIORITY_*: the same for all conversions of a compilation
};

// The conversions of one compilation: a plan of a single operation per device, layout of the picture, conversion and tensor, made
// ready on first use; the least recently used ones are let go. Thread-safe.
class PictureConversions {
 public:
  // Starts converting the picture as it is now. Never waits for the device, except to make a conversion ready that was not used
  // before. UNMAPPABLE when the pixels cannot be read; the device's errors.
  Result<std::shared_ptr<const ConvertedPicture>> start(Device& device, const PictureRequest& request);

  // Totals: "prepared", "executions"; of the conversions that are kept: "bytes_copied_in".
  Counters counters() const;

 private:
  Result<std::shared_ptr<PreparedConversion>> find_or_prepare(Device& device, const PicturePixels& pixels,
                                                              const PictureRequest& request);

  mutable std::mutex mutex_;
  std::list<std::shared_ptr<PreparedConversion>> recent_;  // the last one used first
  uint64_t prepared_ = 0;
  uint64_t executions_ = 0;
};

}  // namespace nnvk
