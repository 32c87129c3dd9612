#include "tools/command/invocation.h"

#include <utility>

namespace nnvk::tools {
namespace {

std::string& name_of_command() {
  static std::string name;
  return name;
}

}  // namespace

const std::string& running_command() { return name_of_command(); }
void set_running_command(std::string name) { name_of_command() = std::move(name); }

}  // namespace nnvk::tools
