// Checks the inputs and outputs of one execution, chooses their memory, copies them on the host and reports their sizes.
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

// Sets the status words (DispatchList::status()) in `io` to zero, as every run expects.
void clear_status_words(const DispatchProgram& program, std::span<std::byte> io);

// Returns `memory` if it has the type `Memory` and belongs to `gpu`; otherwise null.
template <class Memory, class AnyMemory>
Memory* own_memory(AnyMemory* memory, const Gpu& gpu) {
  auto* const found = dynamic_cast<Memory*>(memory);
  return found != nullptr && found->belongs_to(gpu) ? found : nullptr;
}

class ExecutionIo {
 public:
  // `plan`, `gpu` and `activity` must outlive the object.
  ExecutionIo(const Plan& plan, Gpu& gpu, Activity& activity, std::span<const Binding> inputs, std::span<const Binding> outputs)
      : plan_(plan),
        gpu_(gpu),
        activity_(activity),
        inputs_(inputs.begin(), inputs.end()),
        outputs_(outputs.begin(), outputs.end()) {}

  // Returns BAD_DATA if the number of inputs or outputs differs from the plan's, or if an input or output is in another device's
  // memory.
  Status check() const;
  std::vector<BoundTensor> bound_inputs() const { return bound(inputs_); }
  std::vector<BoundTensor> bound_outputs() const { return bound(outputs_); }

  // Enlarges each output memory that has no fixed size (has_growing_memory()) to the size that `program` needs.
  Status grow_outputs(const DispatchProgram& program);
  // Returns BAD_DATA if an input is smaller than its shape needs. The report tells the client which output buffers are too small.
  Status check_sizes(const DispatchProgram& program, ExecutionReport& report) const;
  // Chooses the memory that the run uses for each input and output, and imports client memory once. BAD_DATA if neither kernels
  // nor copies may use a buffer of the application in this way.
  Status choose_places(const DispatchProgram& program);
  const std::vector<IoPlace>& places() const { return places_; }  // inputs, then outputs
  // host_fills_inputs() returns whether the host must write inputs before the run, needs_host() whether the host has work before
  // or after the run.
  bool host_fills_inputs(const DispatchProgram& program) const;
  bool needs_host(const DispatchProgram& program) const;
  // Returns whether the memory of an input or output takes its size from the data written to it.
  bool has_growing_memory() const;

  // fill_inputs() copies before the run, drain_outputs() after the run. `io` is the host's view of the slot. drain_outputs() also
  // returns errors from the status words and reports data-dependent sizes.
  void fill_inputs(const DispatchProgram& program, std::span<std::byte> io) const;
  Status drain_outputs(const DispatchProgram& program, std::span<const std::byte> io, ExecutionReport& report) const;

 private:
  static std::vector<BoundTensor> bound(std::span<const Binding> bindings);
  ResidentMemory* resident_memory(const Binding& binding) const {
    return own_memory<ResidentMemory>(binding.device_memory, gpu_);
  }
  ImageMemory* image_memory(const Binding& binding) const { return own_memory<ImageMemory>(binding.device_memory, gpu_); }
  Status bind_images(const DispatchProgram& program);
  OperandPlace operand_at(size_t place) const;
  IoPlace place_of(const Binding& binding, const IoTensor& tensor, bool is_output) const;

  const Plan& plan_;
  Gpu& gpu_;
  Activity& activity_;
  std::vector<Binding> inputs_;
  std::vector<Binding> outputs_;
  std::vector<IoPlace> places_;
};

}  // namespace nnvk::vulkan
