// One set of bindings for a compilation and its computations. Every mode is the same asynchronous submission; compute() waits for
// it, the others hand out an event (docs/nnapi/execution.md#modes).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/model/operand_rules.h"
#include "core/runtime/compilation.h"
#include "core/runtime/device.h"
#include "core/runtime/fence.h"
#include "core/runtime/memory.h"

namespace nnvk {

class Event;

inline constexpr uint64_t kDefaultLoopTimeoutNanoseconds = 2'000'000'000;
inline constexpr uint64_t kMaximumLoopTimeoutNanoseconds = 15'000'000'000;

// A hint that executions of one compilation follow each other. One computation at a time.
class Burst {
 public:
  explicit Burst(const Compilation& compilation) : compilation_(&compilation) {}
  const Compilation& compilation() const { return *compilation_; }
  bool try_acquire() { return !busy_.exchange(true); }
  void release() { busy_.store(false); }

 private:
  const Compilation* compilation_;
  std::atomic<bool> busy_{false};
};

enum class DurationKind : int32_t { kOnHardware = 0, kInDriver = 1, kFencedOnHardware = 2, kFencedInDriver = 3 };

// Shared ownership: events keep the execution alive until they have settled, whatever the client frees first.
class Execution : public std::enable_shared_from_this<Execution> {
 public:
  enum class State : uint8_t { kPreparation, kComputation, kCompleted };

  // `compilation` is ready and outlives the execution's computations.
  static std::shared_ptr<Execution> create(const Compilation& compilation);

  // Setters: BAD_STATE once a computation was started. `type` may be null. Omitted: `data` null and length 0.
  Status set_input(uint32_t index, const OperandTypeDescription* type, const void* data, size_t length);
  Status set_output(uint32_t index, const OperandTypeDescription* type, void* data, size_t length);
  Status set_input_from_memory(uint32_t index, const OperandTypeDescription* type, const Memory& memory, size_t offset,
                               size_t length);
  Status set_output_from_memory(uint32_t index, const OperandTypeDescription* type, const Memory& memory, size_t offset,
                                size_t length);
  // How a picture becomes input `index`; without it, by the defaults of PictureConversion. BAD_DATA when the conversion does not
  // fit the input or what it is bound to.
  Status set_input_picture(uint32_t index, const PictureConversion& conversion);
  Status enable_padding(bool enable);
  Status set_reusable(bool reusable);
  Status set_measure_timing(bool measure);
  Status set_timeout(uint64_t nanoseconds);
  Status set_loop_timeout(uint64_t nanoseconds);
  Status set_profiling(bool enable);
  Status add_extension_attribute(const std::string& extension, uint16_t code, const void* data, size_t length);

  // Computations. BAD_STATE while one is running or when the execution is used up.
  Status compute();
  Status burst_compute(Burst& burst);
  Result<std::unique_ptr<Event>> start_compute();
  // Never waits. A dependency that fails fails the computation (OP_FAILED through the event; from the call when the device is the
  // CPU and a sync fence has failed already). `nanoseconds`: limit after the dependencies have signalled, 0 for none.
  Result<std::unique_ptr<Event>> start_with_dependencies(std::span<const Event* const> dependencies, uint64_t nanoseconds);

  // Results of the last computation; BAD_STATE unless completed. `value` is always written (UINT64_MAX when unknown).
  Status duration(DurationKind kind, uint64_t* value) const;
  // The shape as computed (unknown rank when nobody knows). The second is false when the buffer was too small.
  struct OutputShape {
    Shape shape;
    bool sufficient = true;
  };
  Result<OutputShape> output_shape(uint32_t index) const;

  // A fenced computation counts as running until its event was waited for.
  void acknowledge();
  bool may_be_freed() const;

  // For diagnostics.
  struct Summary {
    State state = State::kPreparation;
    Status result;
    std::string device;
    uint64_t wall_nanoseconds = 0;
    std::shared_ptr<const ExecutionReport> report;  // may be null
  };
  Summary summary() const;
  const Compilation& compilation() const { return compilation_; }

 private:
  // One input or output as the client bound it.
  struct Slot {
    bool set = false;
    OperandInfo info;           // of the model, with the client's dimensions
    std::byte* data = nullptr;  // a client buffer; never written for inputs
    Memory* memory = nullptr;
    size_t offset = 0;
    size_t length = 0;
    std::optional<PictureConversion> conversion;  // an input that must be a picture
    bool is_picture() const { return memory != nullptr && memory->picture() != nullptr; }
    bool omitted() const { return set && data == nullptr && memory == nullptr; }
  };
  // What converting all pictures took.
  struct ConversionTimes {
    uint64_t hardware = 0;
    uint64_t driver = 0;
  };
  // Inputs with tensors in the place of pictures.
  struct ConvertedInputs {
    std::vector<std::shared_ptr<const ConvertedPicture>> pictures;
    std::vector<Binding> bindings;
    std::vector<Fence> ready;
  };
  enum class Mode : uint8_t { kSynchronous, kAsynchronous, kFenced };
  // One computation on its way through the devices.
  struct Run {
    Mode mode = Mode::kSynchronous;
    bool is_fallback = false;
    Fence done = Fence::pending();  // settles with the result, after complete()
    // The CPU device may compute on the thread that launches: a client that waits in the call, or a launch thread.
    bool may_compute_here = false;
  };

  explicit Execution(const Compilation& compilation);
  Status require_preparation() const;
  Result<Slot*> slot_at(bool is_input, uint32_t index);
  Status bind_buffer(bool is_input, uint32_t index, const OperandTypeDescription* type, std::byte* data, size_t length);
  Status bind_memory(bool is_input, uint32_t index, const OperandTypeDescription* type, const Memory& memory, size_t offset,
                     size_t length);
  Status begin();
  Status check_all_set() const;
  Status check_descriptor_inputs() const;
  Status check_usable_by_cpu() const;
  Status check_fenced(uint64_t nanoseconds) const;
  Status make_bindings();
  // Checks that every kind of computation shares, after begin(); an error completes the execution.
  Status prepare_to_run();
  // Hands the computation to the device, or to the CPU for a fallback. Errors before launch are returned, later ones settle
  // `run.done`.
  Status launch(const Run& run, const Deadline& deadline);
  Status submit(const Run& run, const Deadline& deadline);
  Status submit_to(PreparedPlan& plan, const Run& run, const Deadline& deadline,
                   std::shared_ptr<const ConvertedInputs> converted);
  // Pictures (execution_pictures.cpp).
  Status check_picture(const Slot& slot, const OperandInfo& tensor, const Memory* memory) const;
  Status check_pictures_at_launch() const;
  Result<std::shared_ptr<const ConvertedInputs>> convert_pictures(const Run& run, const Deadline& deadline) const;
  void add_durations(const ConvertedInputs& converted);
  void submit_after(std::shared_ptr<const ConvertedInputs> converted, PreparedPlan& plan, const Run& run,
                    const Deadline& deadline);
  // Launches when all dependencies have signalled, on a launch thread. Ends the computation without running it as soon as one
  // fails, or when the timeout is over before. Fails when no thread can look after the timeout.
  Status launch_after(std::vector<Fence> dependencies, const Run& run, const Deadline& timeout, uint64_t nanoseconds);
  void on_device_done(const Run& run, const Status& result, const std::shared_ptr<const ExecutionReport>& report);
  void finish_run(const Run& run, Status result, std::shared_ptr<const ExecutionReport> report);
  // Completes the execution without having run; returns `status`.
  Status complete_early(Status status);
  void complete(const Run& run, const Status& result, std::shared_ptr<const ExecutionReport> report);
  bool should_fall_back(const Run& run, const Error& error, bool loop_timed_out) const;
  // The same computation once more, whole on the CPU device. As submit().
  Status fall_back(Run run, const Error& error);
  std::string device_names(const Run& run) const;

  const Compilation& compilation_;
  mutable std::mutex mutex_;  // guards the state and what complete() writes
  State state_ = State::kPreparation;
  std::vector<Slot> inputs_;
  std::vector<Slot> outputs_;
  std::vector<Binding> input_bindings_;
  std::vector<Binding> output_bindings_;
  bool has_pictures_ = false;
  bool anything_set_ = false;
  bool padding_ = false;
  bool reusable_ = false;
  bool measure_timing_ = false;
  bool profile_ = false;
  uint64_t timeout_nanoseconds_ = 0;
  uint64_t loop_timeout_nanoseconds_ = kDefaultLoopTimeoutNanoseconds;
  std::shared_ptr<ExtensionAttributes> attributes_;  // null: none
  bool unacknowledged_ = false;                      // a fenced computation has ended but its event was not waited for
  Status result_;
  std::string device_;
  std::shared_ptr<const ExecutionReport> report_;
  std::chrono::steady_clock::time_point started_;
  uint64_t wall_nanoseconds_ = 0;
  ConversionTimes conversion_nanoseconds_;  // before the model
  uint64_t waited_nanoseconds_ = 0;         // for dependencies, before the launch
};

}  // namespace nnvk
