// The command line of `nnvk`.
#pragma once

namespace nnvk::tools {

// Runs the command that the arguments name. Returns the exit code of the program (ExitCode).
int run_command_line(int argc, char** argv);

}  // namespace nnvk::tools
