// Pictures bound to the inputs of executions: the model's device converts them into tensors before the model runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/recently_used.h"
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
  // Returns the lasting mapping of which the bytes are a part, and which devices may import; null if there is none.
  virtual std::shared_ptr<MappedMemory> mapping() const { return nullptr; }
};

// Properties of a picture that a conversion needs before the pixels exist.
struct PictureExtent {
  PictureLayout layout;
  uint64_t bytes = 0;  // from the first sample of all planes to the last
};

// An input of an execution that is a picture, and the tensor that it becomes.
struct PictureInput {
  size_t index = 0;
  const Memory& memory;
  PictureConversion conversion;
  OperandInfo tensor;
};

// A picture being converted into an input, with all that this needs. Lives until the submission that reads `binding` has settled.
struct ConvertedPicture {
  std::shared_ptr<PreparedConversion> prepared;
  std::shared_ptr<const PicturePixels> pixels;
  std::shared_ptr<DeviceMemory> device_memory;  // holds the tensor; null: `host_memory` does
  std::vector<std::byte> host_memory;
  std::vector<uint32_t> taps;                                  // of a batch of crops
  Binding binding;                                             // the place of the tensor once the conversion has settled
  Submission submission{Fence::already_signalled(), nullptr};  // the conversion
};

// The conversions of one compilation: a plan for each combination of device, picture layout, conversion and tensor. The object is
// thread-safe. It frees the plans that were not used for the longest time.
class PictureConversions {
 public:
  // Prepares the conversion of such a picture unless it is ready, so that start() need not. Blocks meanwhile. Returns UNMAPPABLE
  // if the picture cannot be accessed now, and the device's errors.
  Status prepare(Device& device, const PictureInput& input, int32_t priority);

  // Starts converting the picture as it is now, for the execution `request`. `stays_on_device`: the tensor need not be in host
  // memory. `priority` is the same for all conversions of a compilation. Blocks only to prepare a conversion that prepare() has
  // not prepared. Returns UNMAPPABLE if the pixels cannot be read, and the device's errors.
  Result<std::shared_ptr<const ConvertedPicture>> start(Device& device, const PictureInput& input, bool stays_on_device,
                                                        int32_t priority, const Request& request);

  // Counts, in total: "prepared", of which "prepared_while_starting", and "executions". For the conversions still in memory it
  // counts "bytes_copied_in", "command_buffers_recorded", "descriptor_sets_written", "dma_bufs_imported" (by the device, without
  // the host), and "tensors", the number of device memories for results.
  Counters counters() const;

 private:
  std::shared_ptr<PreparedConversion> find_or_add(Device& device, const PictureExtent& extent, const PictureInput& input);
  // Prepares `conversion` unless it is ready. Returns true if it was not.
  Result<bool> make_ready(PreparedConversion& conversion, Device& device, const OperandInfo& tensor, int32_t priority);

  mutable std::mutex mutex_;
  static constexpr size_t kKept = 8;  // conversions per compilation: cameras change their format seldom
  RecentlyUsed<std::shared_ptr<PreparedConversion>> recent_{kKept};
  uint64_t prepared_ = 0;
  uint64_t prepared_while_starting_ = 0;
  uint64_t executions_ = 0;
};

}  // namespace nnvk
