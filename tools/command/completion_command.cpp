// `nnvk completion`: prints the script with which a shell completes the command line.
#include <fmt/format.h>

#include "tools/command/command.h"
#include "tools/command/completion.h"
#include "tools/command/json_output.h"

namespace nnvk::tools {

int run_completion(const CompletionOptions& options, const CLI::App& app) {
  const auto commands = completed_commands(app);
  if (options.json) {
    print_json(to_json(commands));
  } else if (options.shell == "bash") {
    fmt::print("{}", bash_completion(commands));
  } else if (options.shell == "zsh") {
    fmt::print("{}", zsh_completion(commands));
  } else {
    fmt::print("{}", fish_completion(commands));
  }
  return kSuccess;
}

}  // namespace nnvk::tools
