// Executions over device memory on a plan that cannot reach it: the CPU after a failure of the device, a plan in segments. The
// contents pass through host memory before and after (docs/nnapi/devices.md#fallback-at-execution).
#pragma once

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/launch_queue.h"

namespace nnvk {

// Whether `plan` takes every device memory of the request as it is.
bool takes_all_device_memory(const PreparedPlan& plan, const Request& request);

// As PreparedPlan::submit, with every device memory replaced by host memory that is filled before the execution and written back
// after it: the bytes of each output, of which `outputs` says what they are, and nothing behind them. Never blocks: what has to
// wait goes on in `launches`. They and `plan` must live until the fence has settled.
Result<Submission> submit_through_host(PreparedPlan& plan, const Request& request, std::span<const OperandInfo> outputs,
                                       LaunchQueue& launches, int32_t priority);

}  // namespace nnvk
