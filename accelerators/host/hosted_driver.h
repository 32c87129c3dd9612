// A plugin's driver in a host process: sends the calls of Driver (driver.h) as requests over a socket. Starts the host at the
// first call that needs it, and again after a loss (restart_backoff.h).
//
// It trusts the form of a host's answers only after a check, and their values not at all. It kills a host that crashes, hangs, or
// sends an invalid answer. Pending executions end in DEAD_OBJECT once the host is gone, and generation() counts one more.
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
  // The time limits for calls without a caller's deadline, before the host counts as hung.
  std::chrono::milliseconds execution_limit{60'000};
  std::chrono::milliseconds call_limit{60'000};  // other calls; includes the start of the host if a call needs one
  // The time after a caller's deadline until the host counts as hung. Drivers stop on their own meanwhile, and use the
  // execution's memory until then.
  std::chrono::milliseconds grace{1'000};
  RestartBackoff::Rule restart;
};

// Never blocks and starts nothing.
std::unique_ptr<Driver> make_hosted_driver(const HostedDriverOptions& options);

// For a plugin of isolation kProcess. UNAVAILABLE_DEVICE if the host program is missing.
Result<std::unique_ptr<Driver>> make_hosted_driver(const Manifest& manifest);

// For tests: the process of the running host; 0 if none runs.
pid_t process_of_hosted_driver(const Driver& driver);

}  // namespace nnvk::accelerators
