// The command line of `nnvk`: reads it, runs the command, and explains what is wrong with it.
#include "tools/command/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

#include "tools/command/command.h"
#include "tools/command/commands.h"
#include "tools/command/nearest_word.h"
#include "tools/command/version.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/shell_word.h"

namespace nnvk::tools {
namespace {

// Returns "; did you mean WORD?", or "" if no word is near.
std::string suggestion(const std::string& given, const std::vector<std::string>& words) {
  const std::string nearest = nearest_word(given, words);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// Reads the command line, of which the first word must name a command, and runs the command.
void parse(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "help") {  // `help run` for `run --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::string first = words.empty() ? "-" : words.front();
  bool is_known = first.starts_with('-');  // an option
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    is_known = is_known || command->get_name() == first;
    names.push_back(command->get_name());
  }
  if (!is_known) {
    const auto text = fmt::format("nnvk has no such command; its commands are {}", fmt::join(names, ", "));
    throw CLI::ValidationError(first, text + suggestion(first, names));
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  app.parse(std::move(words));
  if (app.get_subcommands().empty())
    throw CLI::ValidationError("nnvk needs a command", fmt::format("{}", fmt::join(names, ", ")));
}

// Returns the text of an error about the command line. It names the first word that the command does not know.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "nnvk" : "nnvk " + command.get_name();
  std::string text = error.what();
  const auto unknown = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unknown.empty()) {
    const auto option = std::ranges::find_if(unknown, [](const std::string& word) { return word.starts_with('-'); });
    if (option == unknown.end()) {
      text = fmt::format("{} takes no further word '{}'", name, unknown.front());
    } else {
      std::vector<std::string> options;
      for (const auto* known : command.get_options()) {
        for (const auto& word : known->get_lnames()) options.push_back("--" + word);
      }
      text = fmt::format("{} has no option {}", name, *option) + suggestion(*option, options);
    }
  }
  return fmt::format("{} (`{} --help` explains the {})", text, name, chosen.empty() ? "commands" : "options");
}

}  // namespace

int run_command_line(int argc, char** argv, std::initializer_list<void (*)(Commands&)> adding) {
  std::string command_line = "nnvk";
  for (int i = 1; i < argc; ++i) command_line += " " + shell_word(argv[i]);
  CLI::App app{"nnvk: neural networks on Vulkan through the NNAPI C API"};
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", std::string("nnvk ") + nnvk_version() + " (commit " + nnvk_commit() + ")");
  app.set_help_all_flag("--help-all", "Help for all commands");
  Commands commands(app, command_line);
  try {
    for (const auto add : adding) add(commands);
    parse(app, argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return report_error({usage_error(app, error)}, kUsage);
    app.exit(error);  // prints the help or the version
    return kSuccess;
  } catch (const std::exception& error) {
    return report_error({error.what()});
  }
  const Status printed = finish_standard_output();
  return printed || commands.exit_code() != kSuccess ? commands.exit_code() : report_error(printed.error());
}

}  // namespace nnvk::tools
