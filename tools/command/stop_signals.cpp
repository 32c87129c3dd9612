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
    // nohup starts programs that shall outlive their terminal. SIGINT counts also where a script's shell started the program in
    // the background and ignores it, because --resume completes the record.
    if (std::signal(signal, remember) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
  }
}

StopSignals::~StopSignals() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  g_received = 0;
}

int StopSignals::received() { return g_received; }

}  // namespace nnvk::tools
