// Runs a part of the program in a child process: the library has its own environment there, and a crash becomes a result.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

struct ChildEnd {
  int exit_code = 0;  // if no signal ended it
  int signal = 0;     // when a signal ended it
};

// Forks, sets the variables, runs `body` and ends the child with its return value. The library must not have been used before.
Result<ChildEnd> run_in_child(const std::vector<std::pair<std::string, std::string>>& environment,
                              const std::function<int()>& body);

}  // namespace nnvk::tools
