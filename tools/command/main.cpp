// `nnvk`: runs models, measures and tests through the library's public C API.
#include <csignal>

#include "tools/command/command_line.h"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error that the command reports
  return nnvk::tools::run_command_line(
      argc, argv, {nnvk::tools::add_run_commands, nnvk::tools::add_model_commands, nnvk::tools::add_test_commands});
}
