// Prints the errors of all commands.
#include <android/NeuralNetworks.h>
#include <fmt/format.h>

#include <cstdio>

#include "tools/command/command.h"

namespace nnvk::tools {

int report_error(const Error& error) {
  return report_error(error, error.code == ANEURALNETWORKS_UNAVAILABLE_DEVICE ? kNoDevice : kFailure);
}

int report_error(const Error& error, int code) {
  fmt::print(stderr, "nnvk: error: {}\n", error.message);
  return code;
}

}  // namespace nnvk::tools
