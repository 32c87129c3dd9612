// A plugin's driver in a host process: sends the calls of Driver (driver.h) as requests over a socket. Starts the host at the
// first call that needs it, and again after a loss (restart_backoff.h). Checks the form of a host's answers; the device must
// check their values. Kills a host that crashes, hangs, or sends an invalid answer: pending executions end in DEAD_OBJECT once
// the host is gone, and generation() grows by one.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "accelerators/driver.h"
#include "accelerators/host/host_process.h"
#include "accelerators/host/restart_backoff.h"
#include "accelerators/manifest.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

struct HostedDriverOptions {
  std::string name;     // of the plugin, for messages
  HostCommand command;  // that starts its host
  // The time limits for calls without a deadline of the caller. A host that exceeds them counts as hung.
  std::chrono::milliseconds execution_limit{60'000};
  std::chrono::milliseconds call_limit{60'000};  // other calls; includes the start of the host if a call needs one
  // The time after a caller's deadline until the host counts as hung. A driver should stop by itself in that time; until then it
  // uses the execution's memory.
  std::chrono::milliseconds grace{1'000};
  RestartBackoff::Rule restart;
};

// Makes a driver whose code runs in a host process. Never blocks; the first call of the driver starts the host.
std::unique_ptr<Driver> make_hosted_driver(const HostedDriverOptions& options);

// Makes a driver for a plugin of isolation kProcess. UNAVAILABLE_DEVICE if the host program is missing.
Result<std::unique_ptr<Driver>> make_hosted_driver(const Manifest& manifest);

// Returns the id of the running host's process, for tests; 0 if no host runs.
pid_t process_of_hosted_driver(const Driver& driver);

}  // namespace nnvk::accelerators
