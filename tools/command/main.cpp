// `nnvk`: runs models, measures and tests through the library's public C API.
#include <exception>

#include "tools/command/command.h"

int main(int argc, char** argv) {
  using namespace nnvk::tools;
  CLI::App app{"nnvk: neural networks on Vulkan through the NNAPI C API"};
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help for all commands");
  int exit_code = kSuccess;
  try {
    add_devices_command(app, exit_code);
    add_run_command(app, exit_code);
    add_bench_command(app, exit_code);
    add_soak_command(app, exit_code);
    add_conformance_command(app, exit_code);
    add_operations_command(app, exit_code);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int result = app.exit(error);  // prints help or the error
    return result == 0 ? kSuccess : kUsage;
  } catch (const std::exception& error) {
    return report_error({error.what()});
  }
  return exit_code;
}
