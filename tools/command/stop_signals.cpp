// Handlers that remember a signal.
#include "tools/command/stop_signals.h"

#include <csignal>

namespace nnvk::tools {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t g_received = 0;

void remember(int signal) { g_received = signal; }

}  // namespace

StopSignals::StopSignals() {
  for (const int signal : kSignals) {
    // A program that was started with a signal ignored, as by nohup, leaves it so.
    if (std::signal(signal, remember) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

StopSignals::~StopSignals() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  g_received = 0;
}

int StopSignals::received() { return g_received; }

}  // namespace nnvk::tools
