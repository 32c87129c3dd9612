// Prints the errors and notes of all commands.
#include <android/NeuralNetworks.h>
#include <fmt/format.h>

#include <cstdio>

#include "tools/command/command.h"
#include "tools/command/terminal.h"

namespace nnvk::tools {

int report_error(const Error& error) {
  if (error.code == conformance::kWrongOption) return report_error(error, kUsage);
  return report_error(error, error.code == ANEURALNETWORKS_UNAVAILABLE_DEVICE ? kNoDevice : kFailure);
}

int report_error(const Error& error, int code) {
  fmt::print(stderr, "{} {}\n", coloured(stderr, Colour::kRed, "nnvk: error:"), error.message);
  return code;
}

void report_note(const std::string& note) { fmt::print(stderr, "{} {}\n", coloured(stderr, Colour::kBold, "nnvk:"), note); }

}  // namespace nnvk::tools
