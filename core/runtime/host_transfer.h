// Runs executions with device memory that their plan cannot access (on the CPU after a device has failed, or in segments). The
// contents pass through host memory before and after (docs/nnapi/devices.md#fallback-at-execution).
#pragma once

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/launch_queue.h"

namespace nnvk {

// Returns true if `plan` can use every device memory of the request directly.
bool takes_all_device_memory(const PreparedPlan& plan, const Request& request);

// Submits as PreparedPlan::submit does, but replaces every device memory by host memory. Fills it before the execution and writes
// back exactly the bytes of each output, whose types are `outputs`. Never blocks: work that must wait continues in `launches`.
// `launches` and `plan` must live until the fence has settled.
Result<Submission> submit_through_host(PreparedPlan& plan, const Request& request, std::span<const OperandInfo> outputs,
                                       LaunchQueue& launches, int32_t priority);

}  // namespace nnvk
