#include "tools/command/commands.h"

#include <fmt/format.h>
#include <nnvk/diagnostics.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "tools/command/command.h"
#include "tools/command/invocation.h"

namespace nnvk::tools {
namespace {

// Returns true if report_error() prints every failure of a call, so that the library's line about it would be the second one.
// Users who set NNVK_LOG get that as well. The other commands run child processes, whose log belongs to their output.
bool prints_each_error(const std::string& command) {
  return command != "conformance" && command != "gpu-check" && command != "benchmark";
}

}  // namespace

void Commands::on_run(CLI::App& command, std::function<int()> run) {
  command.callback([this, name = command.get_name(), run = std::move(run)] {
    if (!missing_.empty()) {
      exit_code_ = report_error({missing_.front()});
      return;
    }
    set_running_command(name);
    nnvk_muteFailedCalls(prints_each_error(name) && std::getenv("NNVK_LOG") == nullptr);
    exit_code_ = run();
  });
}

CLI::Validator Commands::existing(const std::string& option, const std::string& kind) {
  const auto check = [this, option, kind](const std::string& path) -> std::string {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    const bool is_folder = std::filesystem::is_directory(status);
    const bool is_right = std::filesystem::exists(status) && (kind == "file" ? !is_folder : kind == "folder" ? is_folder : true);
    if (!is_right) missing_.push_back(fmt::format("{}: there is no {} {}", option, kind, path));
    return {};
  };
  return CLI::Validator(check, "");
}

std::string device_help() {
  return "vulkan, vulkan:N, cpu or a device's name (see `nnvk devices`); several with commas, or `all`: they share the model; "
         "default: the library chooses by predicted times";
}

void add_memory_option(CLI::App& command, uint64_t& memory) {
  command
      .add_option(
          "--memory", memory,
          "Limit for the memory of all tensors of the model: 500MiB, 8GiB, or bytes; nnvk refuses a file that needs more; "
          "default: 2GiB")
      ->type_name("SIZE")
      ->transform(byte_size());
}

void add_cache_option(Commands& commands, CLI::App& command, std::string& folder) {
  command.add_option("--cache", folder, "Keep the compiled model in this folder; later runs start from there")
      ->type_name("FOLDER")
      ->check(commands.existing_folder("--cache"));
}

void add_score_option(CLI::App& command, std::optional<float>& least_score) {
  command
      .add_option("--min-score", least_score,
                  "Show detections and key points with this score or more (default: 0.5; points of people: 0.3)")
      ->type_name("SCORE")
      ->check(real_number("a number from 0 to 1", [](double score) { return score >= 0 && score <= 1; }));
}

CLI::Option* add_device_option(CLI::App& command, std::string& device, const std::string& help) {
  return command.add_option("--device", device, help)->type_name("DEVICE")->check([](const std::string& name) {
    return name.empty() ? std::string("must not be empty") : std::string();
  });
}

CLI::Option* add_json_option(CLI::App& command, bool& json, const std::string& help) {
  return command.add_flag("--json", json, help);
}

}  // namespace nnvk::tools
