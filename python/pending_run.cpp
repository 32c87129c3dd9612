// Starting, waiting, and fences.
#include "python/pending_run.h"

#include <fmt/format.h>
#include <poll.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "python/errors.h"

namespace py = pybind11;

namespace nnvk::python {
namespace {

// How long a wait lasts before it lets Python handle signals, such as Ctrl-C.
constexpr double kSliceSeconds = 0.1;

using Clock = std::chrono::steady_clock;

SharedEvent shared(ANeuralNetworksEvent* event) {
  return {event, [](ANeuralNetworksEvent* owned) { ANeuralNetworksEvent_free(owned); }};
}

SharedEvent event_of_descriptor(int descriptor) {
  ANeuralNetworksEvent* event = nullptr;
  value_of(tools::check(ANeuralNetworksEvent_createFromSyncFenceFd(descriptor, &event),
                        fmt::format("taking the file descriptor {} as a fence", descriptor)));
  return shared(event);
}

}  // namespace

std::unique_ptr<PendingRun> PendingRun::start(std::shared_ptr<const CompiledShapes> compiled, InputArrays inputs,
                                              const std::vector<SharedEvent>& dependencies) {
  std::unique_ptr<PendingRun> pending(new PendingRun(std::move(compiled), std::move(inputs)));
  pending->dependencies_ = dependencies;
  const auto memory = pending->inputs_.memory();
  {
    const py::gil_scoped_release unlocked;
    value_of(pending->run_.take_inputs(memory));
    std::vector<const ANeuralNetworksEvent*> events;
    for (const SharedEvent& event : dependencies) events.push_back(event.get());
    pending->event_ = shared(value_of(pending->run_.start(events)).release());
    if (!pending->run_.compiled().may_have_fences() ||
        ANeuralNetworksEvent_getSyncFenceFd(pending->event_.get(), &pending->fence_) != ANEURALNETWORKS_NO_ERROR) {
      pending->fence_ = -1;
      pending->ended_ =
          std::async(std::launch::async, [event = pending->event_] { ANeuralNetworksEvent_wait(event.get()); }).share();
    }
  }
  const auto& ports = pending->run_.compiled().model().outputs;
  for (size_t i = 0; i < ports.size(); ++i) pending->arrays_.append(array_over(ports[i], pending->run_.outputs()[i]));
  return pending;
}

PendingRun::~PendingRun() {  // NOLINT(bugprone-exception-escape): waiting for a future that is valid does not throw
  if (event_) {
    const py::gil_scoped_release unlocked;
    ANeuralNetworksEvent_wait(event_.get());
    if (ended_.valid()) ended_.wait();
    event_.reset();
    dependencies_.clear();
  }
  if (fence_ >= 0) ::close(fence_);
}

bool PendingRun::wait_without_lock(double seconds) const {
  const py::gil_scoped_release unlocked;
  if (ended_.valid()) return ended_.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
  pollfd entry{.fd = fence_, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, static_cast<int>(std::ceil(seconds * 1e3))) > 0;
}

bool PendingRun::wait(std::optional<double> seconds) {
  if (seconds && std::isnan(*seconds)) throw InputError{"the timeout is not a number; give seconds"};
  const auto start = Clock::now();
  while (true) {
    double slice = kSliceSeconds;
    if (seconds) slice = std::clamp(*seconds - std::chrono::duration<double>(Clock::now() - start).count(), 0.0, kSliceSeconds);
    if (wait_without_lock(slice)) return true;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (seconds && std::chrono::duration<double>(Clock::now() - start).count() >= *seconds) return false;
  }
}

py::list PendingRun::result() {
  wait(std::nullopt);
  tools::Status status;
  {
    const py::gil_scoped_release unlocked;
    status = run_.wait(event_.get());
  }
  value_of(status);
  if (!is_finished_) {
    const auto& ports = run_.compiled().model().outputs;
    for (size_t i = 0; i < ports.size(); ++i) {
      auto array = py::reinterpret_borrow<py::array>(arrays_[i]);
      widen_array(ports[i], run_.outputs()[i], array);
    }
    is_finished_ = true;
  }
  return arrays_;
}

std::vector<SharedEvent> events_of(const py::object& dependencies) {
  std::vector<SharedEvent> events;
  for (const py::handle entry : dependencies) {
    if (py::hasattr(entry, "_run") && py::isinstance<PendingRun>(entry.attr("_run"))) {
      events.push_back(entry.attr("_run").cast<const PendingRun&>().event());
      continue;
    }
    const int descriptor = PyObject_AsFileDescriptor(entry.ptr());
    if (descriptor < 0) {
      PyErr_Clear();
      throw InputError{fmt::format("wait_for takes futures of run_async() and file descriptors of fences, given {}",
                                   std::string(py::str(py::type::handle_of(entry))))};
    }
    events.push_back(event_of_descriptor(descriptor));
  }
  return events;
}

void define_pending_run(py::module_& module) {
  py::class_<PendingRun>(module, "PendingRun", "A run that has been started.")
      .def_property_readonly("fence", &PendingRun::fence, "The file descriptor of the fence; -1 if the device gives none.")
      .def("wait", &PendingRun::wait, py::arg("seconds") = py::none(), "Waits; whether the run has ended.")
      .def("arrays", &PendingRun::arrays, "The arrays of the outputs, which have contents when the run has ended.")
      .def("result", &PendingRun::result, "Waits and returns the arrays of the outputs. Raises Error if the run has failed.");
}

}  // namespace nnvk::python
