// Collects the commands of `nnvk`: their options in CLI11, and the functions that run them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/command/option_values.h"

namespace nnvk::tools {

class Commands {
 public:
  // `command_line`: as the user wrote it.
  Commands(CLI::App& app, std::string command_line) : app_(app), command_line_(std::move(command_line)) {}
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  CLI::App* add(const std::string& name, const std::string& description) { return app_.add_subcommand(name, description); }
  // Sets the function that runs a command and returns the exit code of the program. It runs after all options have been read.
  void on_run(CLI::App& command, std::function<int()> run);

  // Checks that something of this name is there. A missing file is no fault of the command line: the command then ends with
  // kFailure, unless the command line is wrong as well.
  CLI::Validator existing_file(const std::string& option) { return existing(option, "file"); }
  CLI::Validator existing_folder(const std::string& option) { return existing(option, "folder"); }
  CLI::Validator existing_path(const std::string& option) { return existing(option, "file or folder"); }

  const CLI::App& app() const { return app_; }
  const std::string& command_line() const { return command_line_; }
  int exit_code() const { return exit_code_; }

 private:
  CLI::Validator existing(const std::string& option, const std::string& kind);

  CLI::App& app_;
  std::string command_line_;
  std::vector<std::string> missing_;  // what is said about files that are not there
  int exit_code_ = 0;
};

// The help of the option --device of commands that run a model.
std::string device_help();
// Adds the option --memory, which the commands with a model file have.
void add_memory_option(CLI::App& command, uint64_t& memory);
// Adds the option --cache.
void add_cache_option(Commands& commands, CLI::App& command, std::string& folder);
// Adds the option --min-score.
void add_score_option(CLI::App& command, std::optional<float>& least_score);
// Adds the option --device.
CLI::Option* add_device_option(CLI::App& command, std::string& device, const std::string& help);
// Adds the option --json.
CLI::Option* add_json_option(CLI::App& command, bool& json, const std::string& help = "Print JSON");

}  // namespace nnvk::tools
