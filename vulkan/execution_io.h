// The inputs and outputs of one execution: checks them, chooses where they lie during the run, copies them on the host, and
// reports their sizes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/image_memory.h"
#include "vulkan/recording/io_access.h"
#include "vulkan/recording/resident_memory.h"

namespace nnvk::vulkan {

// Sets the status words to zero, as every run expects.
void clear_status_words(const DispatchProgram& program, std::span<std::byte> io);

class ExecutionIo {
 public:
  // The plan, gpu and activity must outlive this.
  ExecutionIo(const Plan& plan, Gpu& gpu, Activity& activity, std::span<const Binding> inputs, std::span<const Binding> outputs)
      : plan_(plan),
        gpu_(gpu),
        activity_(activity),
        inputs_(inputs.begin(), inputs.end()),
        outputs_(outputs.begin(), outputs.end()) {}

  // BAD_DATA if the number of inputs or outputs differs from the plan's, or if one lies in memory of another device.
  Status check() const;
  std::vector<BoundTensor> bound_inputs() const;
  std::vector<BoundTensor> bound_outputs() const;

  // Enlarges growing memory of this device to the size that `program` needs.
  Status grow_outputs(const DispatchProgram& program);
  // BAD_DATA if an input is smaller than its shape needs. The report tells the client which output buffers are too small.
  Status check_sizes(const DispatchProgram& program, ExecutionReport& report) const;
  // Decides where each input and output lies during the run, and imports client memory once. BAD_DATA for a buffer of the
  // application that neither kernels nor copies may use in this way.
  Status choose_places(const DispatchProgram& program);
  const std::vector<IoPlace>& places() const { return places_; }  // inputs, then outputs
  // Whether the host must write inputs before the run; whether it has any work before or after the run.
  bool host_fills_inputs(const DispatchProgram& program) const;
  bool needs_host(const DispatchProgram& program) const;
  // Whether a memory takes its size from the data written to it.
  bool has_growing_memory() const;

  // The host's copies before and after the run. `io` is the host's view of the slot. drain_outputs() also returns errors from the
  // status words and reports data-dependent sizes.
  void fill_inputs(const DispatchProgram& program, std::span<std::byte> io) const;
  Status drain_outputs(const DispatchProgram& program, std::span<const std::byte> io, ExecutionReport& report) const;

 private:
  ResidentMemory* resident_memory(const Binding& binding) const;
  ImageMemory* image_memory(const Binding& binding) const;
  Status bind_images(const DispatchProgram& program);
  IoPlace place_of(const Binding& binding, const IoTensor& tensor, bool is_output) const;

  const Plan& plan_;
  Gpu& gpu_;
  Activity& activity_;
  std::vector<Binding> inputs_;
  std::vector<Binding> outputs_;
  std::vector<IoPlace> places_;
};

}  // namespace nnvk::vulkan
