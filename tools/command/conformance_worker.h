// The child processes of `nnvk conformance`. They alone use the library, and tell their parent what they find through a socket.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/command/command.h"
#include "tools/conformance/case_list.h"

namespace nnvk::tools {

// Runs the tasks that arrive on the channel, one line each, until the channel ends or the device is lost. Sends messages about
// them (tools/conformance/messages.h). `device` is a name or a choice, as in --device. Returns the exit code.
int run_tasks(int channel, const ConformanceOptions& options, const std::vector<conformance::CaseEntry>& entries,
              const std::string& device);

// A case that failed, in a variant.
struct FailedEntry {
  const conformance::CaseEntry* entry = nullptr;
  std::string variant;
};

// Keeps evidence of failures whose processes left none, because they crashed or hung. The evidence has all but the outputs. It
// needs the reference device alone. Returns the exit code.
int keep_missing_evidence(const std::string& report, const std::vector<FailedEntry>& failures);

// Sends the names of the device's kernel variants, separated by commas, to the channel. Sends nothing if there is no such device
// or if it has no variants. Returns the exit code, which is always kSuccess.
int tell_variants(int channel, const std::string& device);

// run_part() returns this exit code if the part of the graph did not crash; another part may crash.
inline constexpr int kNoCrash = 10;

// Describes a part of a random graph, without these outputs, and runs it, which may end the process (run_without_outputs()).
// Returns the exit code.
int run_part(int channel, const conformance::CaseEntry& entry, const std::set<size_t>& left_out, const std::string& device);

}  // namespace nnvk::tools
