// The command that this process runs, for its output. Set once, before the command runs.
#pragma once

#include <string>

namespace nnvk::tools {

// The command's name: "run"; "" before a command runs.
const std::string& running_command();
void set_running_command(std::string name);

}  // namespace nnvk::tools
