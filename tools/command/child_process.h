// Runs a piece of the program in a process of its own: with its own environment for the library, and so that a crash is a result.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

struct ChildEnd {
  int exit_code = 0;  // when it ended by itself
  int signal = 0;     // when a signal ended it
};

// Forks, sets the variables, runs `body` and ends the child with its return value. The library must not have been used before.
Result<ChildEnd> run_in_child(const std::vector<std::pair<std::string, std::string>>& environment,
                              const std::function<int()>& body);

}  // namespace nnvk::tools
