// Prints the errors of all commands.
#include <fmt/format.h>

#include <cstdio>

#include "tools/command/command.h"

namespace nnvk::tools {

int report_error(const Error& error, int code) {
  fmt::print(stderr, "nnvk: error: {}\n", error.message);
  return code;
}

}  // namespace nnvk::tools
