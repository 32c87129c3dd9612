// Pictures bound to the inputs of executions: converted into tensors on the device that runs the model, before it runs.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/operations/parameters/picture_conversion.h"
#include "core/runtime/device.h"

namespace nnvk {

class Memory;
struct PreparedConversion;

// The pixels of a picture as they are now, readable while this object lives.
class PicturePixels {
 public:
  virtual ~PicturePixels() = default;
  virtual const PictureLayout& layout() const = 0;
  virtual std::span<const std::byte> bytes() const = 0;
  // The lasting mapping that the bytes lie in, which devices may import; null where there is none.
  virtual std::shared_ptr<MappedMemory> mapping() const { return nullptr; }
};

// An input of an execution that is a picture, and the tensor that it becomes.
struct PictureInput {
  size_t index = 0;
  const Memory& memory;
  PictureConversion conversion;
  OperandInfo tensor;
};

// A picture on its way into an input, with what the conversion needs. Lives until the submission that reads `binding` has
// settled.
struct ConvertedPicture {
  std::shared_ptr<PreparedConversion> prepared;
  std::shared_ptr<const PicturePixels> pixels;
  std::shared_ptr<DeviceMemory> device_memory;  // holds the tensor; null: `host_memory` does
  std::vector<std::byte> host_memory;
  Binding binding;                                             // where the tensor is once the conversion has settled
  Submission submission{Fence::already_signalled(), nullptr};  // the conversion
};

// The conversions of one compilation: a plan of a single operation per device, layout of the picture, conversion and tensor, made
// ready on first use; the least recently used ones are let go. Thread-safe.
class PictureConversions {
 public:
  // Starts converting the picture as it is now, for the execution that is `request`. `stays_on_device`: the tensor need not be in
  // host memory. `priority` is the same for all conversions of a compilation. Never waits for the device, except to make a
  // conversion ready that was not used before. UNMAPPABLE when the pixels cannot be read; the device's errors.
  Result<std::shared_ptr<const ConvertedPicture>> start(Device& device, const PictureInput& input, bool stays_on_device,
                                                        int32_t priority, const Request& request);

  // Totals: "prepared", "executions"; of the conversions that are kept: "bytes_copied_in".
  Counters counters() const;

 private:
  Result<std::shared_ptr<PreparedConversion>> find_or_prepare(Device& device, const PicturePixels& pixels,
                                                              const PictureInput& input, int32_t priority);

  mutable std::mutex mutex_;
  std::list<std::shared_ptr<PreparedConversion>> recent_;  // the last one used first
  uint64_t prepared_ = 0;
  uint64_t executions_ = 0;
};

}  // namespace nnvk
