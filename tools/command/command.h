// The commands of `nnvk`: each adds itself to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

// Exit codes of the program.
enum ExitCode { kSuccess = 0, kFailure = 1, kUsage = 2, kNoDevice = 3, kIncomplete = 4 };

// Each command stores its exit code here when it runs.
void add_devices_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_bench_command(CLI::App& app, int& exit_code);
void add_soak_command(CLI::App& app, int& exit_code);
void add_conformance_command(CLI::App& app, int& exit_code);
void add_operations_command(CLI::App& app, int& exit_code);

// Prints "nnvk: error: ..." and returns `code`.
int report_error(const Error& error, int code = kFailure);

// Text shared by all commands that take a device.
inline constexpr const char* kDeviceHelp =
    "vulkan, vulkan:N, cpu or a device's name (see `nnvk devices`); default: the first Vulkan device, else the CPU";

}  // namespace nnvk::tools
