// The report of an execution in segments, summed up from the reports of its parts.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/runtime/device.h"

namespace nnvk {

class SegmentedReport {
 public:
  // Returns the report, which is complete after finish().
  std::shared_ptr<const ExecutionReport> shared() const { return report_; }
  // Returns one report per output of the whole plan, as declared until the run knows better.
  std::vector<OutputReport>& outputs() { return report_->outputs; }
  std::chrono::nanoseconds preparation() const { return preparation_; }

  void add_preparation(std::chrono::nanoseconds time) { preparation_ += time; }
  void set_loop_timed_out() { report_->loop_timed_out = true; }
  // Adds the facts from the report of a part that count even if the part has failed.
  void add_attempt(const ExecutionReport& part) {
    if (part.loop_timed_out) set_loop_timed_out();
    add_preparation(std::chrono::nanoseconds(part.preparation_nanoseconds));
  }
  // Adds the times of a part that has run on `device` (null: on several). If the part is the work of one operation of the model,
  // that is `operation`; else each node names its own operation.
  void add_times(const ExecutionReport& part, const Device* device, std::optional<uint32_t> operation) {
    has_begun_ = true;
    is_timed_ = is_timed_ || part.driver_nanoseconds != kNoDuration;
    if (part.hardware_nanoseconds != kNoDuration) {
      const bool is_first = report_->hardware_nanoseconds == kNoDuration;
      report_->hardware_nanoseconds = (is_first ? 0 : report_->hardware_nanoseconds) + part.hardware_nanoseconds;
    }
    for (NodeProfile node : part.profile) {
      if (node.device.empty() && device != nullptr) node.device = device->info().name;
      node.source_operation = operation.value_or(node.source_operation);
      if (operation) node.merged_operations.clear();  // they are operations of a referenced model
      report_->profile.push_back(std::move(node));
    }
  }
  // Completes the report and returns the final result. Call it once.
  const Status& finish(Status result, bool measure_timing) {
    // If a part misses the deadline after another has run, the execution had begun: NNAPI's code is then the transient one.
    if (!result && has_begun_ && result.error().code == Code::kMissedDeadlinePersistent) {
      result.error().code = Code::kMissedDeadlineTransient;
    }
    report_->preparation_nanoseconds = static_cast<uint64_t>(preparation_.count());
    report_->result = std::move(result);
    if (!report_->result && report_->result.error().code != Code::kOutputInsufficientSize) report_->outputs.clear();
    if (measure_timing && is_timed_) {
      report_->driver_nanoseconds = nanoseconds_since(started_);
    } else {
      report_->hardware_nanoseconds = kNoDuration;
    }
    return report_->result;
  }

 private:
  using Clock = std::chrono::steady_clock;

  const std::shared_ptr<ExecutionReport> report_ = std::make_shared<ExecutionReport>();
  const Clock::time_point started_ = Clock::now();
  std::chrono::nanoseconds preparation_{0};
  bool has_begun_ = false;  // a part has run
  bool is_timed_ = false;   // a device measures durations
};

}  // namespace nnvk
