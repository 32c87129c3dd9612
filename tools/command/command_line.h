// The command line of `nnvk`.
#pragma once

#include <initializer_list>

namespace nnvk::tools {

class Commands;  // commands.h, which takes seconds to compile

// The commands that list devices and run a model (run_commands.cpp), the other ones for models and devices (model_commands.cpp),
// and those for tests, traces and the program itself (test_commands.cpp).
void add_run_commands(Commands& commands);
void add_model_commands(Commands& commands);
void add_test_commands(Commands& commands);

// Runs the command that the arguments name, one of those that the functions add. Returns the exit code of the program
// (ExitCode).
int run_command_line(int argc, char** argv, std::initializer_list<void (*)(Commands&)> adding);

}  // namespace nnvk::tools
