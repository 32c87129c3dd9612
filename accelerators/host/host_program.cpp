// Finds the program beside the library, and chooses its environment variables.
#include "accelerators/host/host_program.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "accelerators/plugin_host_marker.h"
#include "core/base/config.h"
#include "core/base/library_folder.h"

namespace nnvk::accelerators {
namespace {

constexpr const char* kProgram = "nnvk-plugin-host";

// Returns whether the host receives the variable: paths of libraries, log levels, settings of kernels and sanitizers, and for GPU
// drivers paths of their configuration. Variables that choose devices are for the client, not for an nnvk library in the host.
bool is_for_host(std::string_view variable, bool is_gpu) {
  constexpr const char* kForAll[] = {"LD_LIBRARY_PATH=",  "LANG=",         "LC_ALL=",
                                     "NNVK_LOG=",         "NNVK_VLOG=",    "NNVK_CPU_THREADS=",
                                     "NNVK_CPU_KERNELS=", "NNVK_VULKAN_",  "NNVK_SUPPORT_LIBRARY_LEVEL=",
                                     "NNVK_SAMPLE_NPU=",  "ASAN_OPTIONS=", "LSAN_OPTIONS=",
                                     "TSAN_OPTIONS=",     "UBSAN_OPTIONS="};
  constexpr const char* kForGpus[] = {"HOME=", "XDG_", "TMPDIR=", "VK_", "MESA_", "RADV_", "ANV_", "LIBGL_", "LP_", "GALLIUM_"};
  const auto begins = [variable](const char* prefix) { return variable.starts_with(prefix); };
  return std::ranges::any_of(kForAll, begins) || (is_gpu && std::ranges::any_of(kForGpus, begins));
}

void add_sandbox(const Manifest& manifest, std::vector<std::string>& arguments) {
  const auto add = [&arguments](const char* name, const std::string& value) { arguments.insert(arguments.end(), {name, value}); };
  if (manifest.memory_megabytes > 0) add("--memory", std::to_string(manifest.memory_megabytes));
  if (manifest.threads > 0) add("--threads", std::to_string(manifest.threads));
  for (const std::string& path : manifest.readable) add("--read", path);
  for (const std::string& path : manifest.writable) add("--write", path);
  for (const std::string& path : manifest.devices) add("--device", path);
}

}  // namespace

Result<std::string> find_host_program() {
  if (const auto setting = read_setting("NNVK_PLUGIN_HOST", nullptr); setting && !setting->empty()) {
    if (setting->front() == '/' && ::access(setting->c_str(), X_OK) == 0) return *setting;
    return fail(Code::kUnavailableDevice, "NNVK_PLUGIN_HOST=\"" + *setting + "\" is not the absolute path of a program");
  }
  const std::filesystem::path folder = library_folder();
  std::string looked_at;
  for (const char* relative : {NNVK_LIBRARY_TO_LIBEXEC, "../libexec"}) {
    const std::string candidate = folder / relative / kProgram;
    if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    looked_at += (looked_at.empty() ? "" : " and ") + candidate;
  }
  return fail(Code::kUnavailableDevice, std::string("there is no ") + kProgram + " (looked for " + looked_at +
                                            "); install it with the library, name it in NNVK_PLUGIN_HOST, or say in the manifest "
                                            "that the plugin runs in-process");
}

Result<HostCommand> host_command(const Manifest& manifest) {
  HostCommand command;
  NNVK_ASSIGN(command.program, find_host_program());
  command.arguments = {"--library", manifest.driver_library, "--sandbox", manifest.seccomp, "--name", manifest.name};
  add_sandbox(manifest, command.arguments);
  // A process with more rights than its user passes none of the user's variables on to the host.
  const bool is_privileged = is_privileged_process();
  for (char** variable = ::environ; !is_privileged && variable != nullptr && *variable != nullptr; ++variable) {
    if (is_for_host(*variable, manifest.seccomp != "strict")) command.environment.emplace_back(*variable);
  }
  if (const auto folder = user_cache_folder(); folder && manifest.seccomp == "gpu") {
    // The only cache folder for compiled shaders of the plugin's GPU driver. A process that may write the user's own cache could
    // plant code in all programs that read it.
    const std::string cache = *folder + "/plugins/" + manifest.name;
    std::erase_if(command.environment,
                  [](const std::string& variable) { return variable.starts_with("MESA_SHADER_CACHE_DIR="); });
    for (const char* name : {"MESA_SHADER_CACHE_DIR=", "__GL_SHADER_DISK_CACHE_PATH="})
      command.environment.push_back(name + cache);
    command.arguments.insert(command.arguments.end(), {"--cache", cache});
  }
  command.environment.push_back(std::string(kInPluginHost) + "=1");
  return command;
}

}  // namespace nnvk::accelerators
