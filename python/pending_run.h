// A run that has been started, with everything that it uses: `_nnvk.PendingRun`.
#pragma once

#include <pybind11/pybind11.h>

#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "python/arrays.h"
#include "python/compiled_shapes.h"

namespace nnvk::python {

// An event on which other runs may still depend when its run is gone.
using SharedEvent = std::shared_ptr<ANeuralNetworksEvent>;

class PendingRun {
 public:
  // Starts a run on these arrays behind the dependencies. The caller holds the GIL, which the function releases meanwhile. Throws
  // ModelError.
  static std::unique_ptr<PendingRun> start(std::shared_ptr<const CompiledShapes> compiled, InputArrays inputs,
                                           const std::vector<SharedEvent>& dependencies);
  // Waits until the run has ended, because it uses the memory.
  ~PendingRun();
  PendingRun(const PendingRun&) = delete;
  PendingRun& operator=(const PendingRun&) = delete;

  // Returns the file descriptor of the fence, which the run owns; it polls readable when the run has ended. Returns -1 if the
  // device gives none.
  int fence() const { return fence_; }
  const SharedEvent& event() const { return event_; }

  // Waits for at most this many seconds, or without limit if there is no number, and returns whether the run has ended. Throws
  // the exceptions that signal handlers of Python raise.
  bool wait(std::optional<double> seconds);
  // Returns the arrays of the outputs. They have contents when the run has ended.
  pybind11::list arrays() const { return arrays_; }
  // Waits, and returns the arrays. Throws ModelError if the run has failed.
  pybind11::list result();

 private:
  PendingRun(std::shared_ptr<const CompiledShapes> compiled, InputArrays inputs)
      : run_(std::move(compiled)), inputs_(std::move(inputs)) {}
  // Waits for at most this long without the GIL.
  bool wait_without_lock(double seconds) const;

  Run run_;
  InputArrays inputs_;
  pybind11::list arrays_;
  std::vector<SharedEvent> dependencies_;
  SharedEvent event_;
  int fence_ = -1;
  std::shared_future<void> ended_;  // of a thread that waits for the event, if there is no fence
  bool is_finished_ = false;        // the arrays are complete
};

// Returns the events of futures (objects with the attribute `_run`), or of descriptors of fences: numbers or objects with
// fileno(). Throws InputError.
std::vector<SharedEvent> events_of(const pybind11::object& dependencies);
void define_pending_run(pybind11::module_& module);

}  // namespace nnvk::python
