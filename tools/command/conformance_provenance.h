// The provenance of a conformance run, from its options and from the device's description of itself; facts about any run.
#pragma once

#include <string>
#include <vector>

#include "tools/command/command.h"
#include "tools/conformance/provenance.h"

namespace nnvk::tools {

// Returns the facts that all variants of a run share: nnvk, vectors, seed, command line, environment. Reads all vector files for
// their sum.
Result<conformance::Provenance> shared_provenance(const ConformanceOptions& options, size_t cases);

// Adds the device's subject and properties, the command that runs these cases on it, and the time: the run starts now.
void begin_provenance(conformance::Provenance& provenance, const ConformanceOptions& options,
                      const conformance::Provenance& device);

// Returns the options that say where a run's cases come from, in the shell's syntax, each with a space before it.
std::string case_sources(const ConformanceOptions& options);

// Returns the variables of this process's environment that concern nnvk and Vulkan, in the shell's syntax, sorted.
std::string relevant_environment();
// Returns this moment in UTC, as in "2026-11-30T09:21:00Z".
std::string time_now();

}  // namespace nnvk::tools
