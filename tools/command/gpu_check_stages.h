// The work of the processes of `nnvk gpu-check`: other commands of this program, or measurements of tools/device_check.
#pragma once

#include <string>
#include <vector>

#include "tools/command/child_process.h"
#include "tools/command/command.h"
#include "tools/device_check/result.h"

namespace nnvk::tools {

struct StageTask {
  const GpuCheckOptions& options;
  std::string stage;  // its name
  std::string part;   // one of gpu_check_parts(), or ""
  double seconds = 0;
  const device_check::Json& device;  // the figures of the first stage; empty before
};

// Returns the parts of a stage, each of which runs in a process of its own; empty if the stage has none.
std::vector<std::string> gpu_check_parts(const std::string& stage);

// Returns the variables that the process of a task needs.
Environment gpu_check_environment(const StageTask& task);

// Runs a task in the process made for it. Prints a JSON object to the standard output and returns the exit code. May replace the
// process by one that runs another command of this program.
int run_gpu_check_stage(const StageTask& task);

}  // namespace nnvk::tools
