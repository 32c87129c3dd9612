// Plugin hosts as processes, found by the name of their plugin, and manifests that name it.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace nnvk::test {

// The running hosts of plugins of this name. Those that have ended and wait for init are not among them: they have no command.
inline std::vector<pid_t> plugin_hosts(const std::string& plugin) {
  std::vector<pid_t> found;
  const std::string wanted = std::string("--name") + '\0' + plugin + '\0';
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 0) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string command((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (command.find("nnvk-plugin-host") != std::string::npos && command.find(wanted) != std::string::npos) {
      found.push_back(process);
    }
  }
  return found;
}

// `more`: further fields. The first use of the library waits for the plugin, however slow the machine is, unless they say else.
inline void write_manifest(const std::string& file, const std::string& plugin, const std::string& library,
                           const std::string& more = R"("load_patience_seconds": 60)") {
  std::ofstream(file) << R"({"manifest_version": 1, "name": ")" << plugin << R"(", "library": ")" << library << "\", " << more
                      << "}";
}

}  // namespace nnvk::test
