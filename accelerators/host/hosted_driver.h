// A plugin's driver in a host process: the calls of Driver (driver.h) as requests over a socket. Starts the host at the first
// call that needs it, and again when it was lost (restart_backoff.h).
//
// What a host answers is believed as far as its form goes and no further. A host that crashes, hangs, or sends what is no answer
// is killed; the executions on their way end in DEAD_OBJECT once it is gone, and generation() counts one more.
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
  // How long a host may take for what has no deadline of the caller, before it counts as hung.
  std::chrono::milliseconds execution_limit{60'000};
  std::chrono::milliseconds call_limit{60'000};  // everything else; a start of the host counts as part of the call that needs it
  // After a deadline of the caller: drivers stop by themselves, and the memory of an execution is in use until they do.
  std::chrono::milliseconds grace{1'000};
  RestartBackoff::Rule restart;
};

// Never blocks and starts nothing.
std::unique_ptr<Driver> make_hosted_driver(const HostedDriverOptions& options);

// For a plugin of isolation kProcess. UNAVAILABLE_DEVICE when there is no program to run it in.
Result<std::unique_ptr<Driver>> make_hosted_driver(const Manifest& manifest);

// For tests: the process of the host that runs now; 0 when none does.
pid_t process_of_hosted_driver(const Driver& driver);

}  // namespace nnvk::accelerators
