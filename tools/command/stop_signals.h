// Signals that ask the program to stop: it then ends its work in order instead of at once.
#pragma once

namespace nnvk::tools {

// While an object of this class exists, SIGINT, SIGTERM and SIGHUP do not end the process. Only one may exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Returns the signal that arrived last; 0 if none did.
  static int received();
};

}  // namespace nnvk::tools
