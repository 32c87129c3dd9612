// Finds the processes of plugin hosts by the name of their plugin, and writes manifests of plugins.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace nnvk::test {

// The parent of a process; 0 if the process has ended.
inline pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string word; file >> word;) {
    if (word == "PPid:" && file >> word) return std::atoi(word.c_str());
  }
  return 0;
}

// The running hosts of plugins of this name. Of each host it returns the supervisor, not the child process that runs the plugin.
// Zombies are left out: their command line is empty.
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
  const std::vector<pid_t> all = found;
  std::erase_if(found, [&all](pid_t process) { return std::ranges::find(all, parent_of(process)) != all.end(); });
  return found;
}

// `more`: further fields. By default the first use of the library waits for the plugin, however slow the machine is.
inline void write_manifest(const std::string& file, const std::string& plugin, const std::string& library,
                           const std::string& more = R"("load_patience_seconds": 60)") {
  std::ofstream(file) << R"({"manifest_version": 1, "name": ")" << plugin << R"(", "library": ")" << library << "\", " << more
                      << "}";
}

}  // namespace nnvk::test
