// The inputs and outputs of one execution on their way to a recording and back: what is wrong with them, where they lie during
// the run, what the host copies, and their sizes in the report.
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

// Every run starts with these at zero.
void clear_status_words(const DispatchProgram& program, std::span<std::byte> io);

class ExecutionIo {
 public:
  // What is referred to must outlive this.
  ExecutionIo(const Plan& plan, Gpu& gpu, Activity& activity, std::span<const Binding> inputs, std::span<const Binding> outputs)
      : plan_(plan),
        gpu_(gpu),
        activity_(activity),
        inputs_(inputs.begin(), inputs.end()),
        outputs_(outputs.begin(), outputs.end()) {}

  // BAD_DATA when it is not as many inputs and outputs as the plan has, or one lies in memory of another device.
  Status check() const;
  std::vector<BoundTensor> bound_inputs() const;
  std::vector<BoundTensor> bound_outputs() const;

  // Makes memory of this device that grows as large as `program` needs it.
  Status grow_outputs(const DispatchProgram& program);
  // Inputs must hold what the shapes need. Output buffers that are too small are told to the client by its report.
  Status check_sizes(const DispatchProgram& program, ExecutionReport& report) const;
  // Decides where each input and output is during the run. Client memory is imported on the way, once. BAD_DATA for a buffer of
  // the application that neither kernels nor copies may use so.
  Status choose_places(const DispatchProgram& program);
  const std::vector<IoPlace>& places() const { return places_; }  // inputs, then outputs
  // Whether the host must touch inputs before the run; whether it has anything at all to do before or after it.
  bool host_fills_inputs(const DispatchProgram& program) const;
  bool needs_host(const DispatchProgram& program) const;
  // Whether some memory becomes as large as what is written to it.
  bool has_growing_memory() const;

  // What the host copies before the run and after it; `io` is the host's view of the slot. After the run also: the errors that
  // status words tell, and the sizes that depended on data.
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
