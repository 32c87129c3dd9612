// The scripts for zsh and fish.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "tools/command/completion.h"

namespace nnvk::tools {
namespace {

constexpr const char* kZshFunctions = R"zsh(#compdef nnvk
# Completes the command line of nnvk in zsh. Made by `nnvk completion zsh`.

_nnvk_devices() {
  local -a devices
  devices=(vulkan cpu all ${(f)"$(nnvk devices --names 2>/dev/null)"})
  _sequence -s , compadd - $devices
}

_nnvk() {
  local curcontext=$curcontext state line
  typeset -A opt_args
)zsh";

constexpr const char* kZshEnd = R"zsh(      esac
      ;;
  esac
}

# Loaded by the completion system as the body of _nnvk, or sourced.
if [[ $funcstack[1] == _nnvk ]]; then _nnvk "$@"; else compdef _nnvk nnvk; fi
)zsh";

constexpr const char* kFishFunctions = R"fish(# Completes the command line of nnvk in fish. Made by `nnvk completion fish`.

function __nnvk_devices
    set -l before (string match -r '.*,' -- (commandline -ct | string replace -r '^--[^=]*=' ''))
    for name in vulkan cpu all (nnvk devices --names 2>/dev/null)
        echo "$before"$name
    end
end

complete -c nnvk -f
)fish";

// Puts a backslash before these characters.
std::string escaped(std::string_view text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// Quotes a text for zsh: 'it'\''s'.
std::string zsh_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

// Returns how zsh completes the value: ":FILE:_files".
std::string zsh_action(const CompletedWord& word) {
  const std::string name = escaped(word.name.starts_with("--") ? word.name.substr(2) : word.name, ":");
  switch (word.kind) {
    case WordKind::kNothing:
      return "";
    case WordKind::kValue:
      return ":" + name + ": ";
    case WordKind::kWord:
      return fmt::format(":{}:({})", name, fmt::join(word.words, " "));
    case WordKind::kFile:
      return ":" + name + ":_files";
    case WordKind::kFolder:
      return ":" + name + ":_files -/";
    case WordKind::kModel:
      return ":" + name + ":_files -g \"*.(tflite|onnx)\"";
    case WordKind::kDevice:
      return ":" + name + ":_nnvk_devices";
  }
  return "";
}

// Returns the options as arguments of zsh's _arguments, each on a line of its own.
std::string zsh_options(const CompletedCommand& command, std::string_view indent) {
  std::string text;
  for (const auto& option : command.options) {
    const std::string value = option.kind == WordKind::kNothing ? "" : "=";
    const auto spec = fmt::format("{}{}[{}]{}", option.name, value, escaped(option.description, "[]:\\"), zsh_action(option));
    text += fmt::format(" \\\n{}{}", indent, zsh_quoted(spec));
  }
  return text;
}

std::string fish_quoted(std::string_view text) { return "'" + escaped(text, "'\\") + "'"; }

// Returns how fish completes the value.
std::string fish_action(const CompletedWord& word) {
  switch (word.kind) {
    case WordKind::kNothing:
      return "";
    case WordKind::kValue:
      return " -x";
    case WordKind::kWord:
      return " -x -a " + fish_quoted(fmt::format("{}", fmt::join(word.words, " ")));
    case WordKind::kFile:
    case WordKind::kModel:
      return " -r -F";
    case WordKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case WordKind::kDevice:
      return " -x -a '(__nnvk_devices)'";
  }
  return "";
}

}  // namespace

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string text = kZshFunctions;
  std::string names;
  std::string cases;
  for (const auto& command : commands) {
    if (command.name.empty()) {
      text +=
          "  _arguments -C" + zsh_options(command, "    ") + " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n";
      continue;
    }
    names += "        " + zsh_quoted(command.name + ":" + escaped(command.description, ":")) + "\n";
    cases += fmt::format("        {})\n          _arguments{}", command.name, zsh_options(command, "            "));
    if (!command.positionals.empty()) {
      cases += " \\\n            " + zsh_quoted("*" + zsh_action(command.positionals.front()));
    }
    cases += "\n          ;;\n";
  }
  text += "  case $state in\n    command)\n      local -a commands\n      commands=(\n" + names + "      )\n" +
          "      _describe command commands\n      ;;\n    argument)\n      case $words[1] in\n" + cases;
  return text + kZshEnd;
}

std::string fish_completion(const std::vector<CompletedCommand>& commands) {
  std::string text = kFishFunctions;
  for (const auto& command : commands) {
    const bool is_main = command.name.empty();
    const std::string when = is_main ? "__fish_use_subcommand" : fish_quoted("__fish_seen_subcommand_from " + command.name);
    if (!is_main) {
      text +=
          fmt::format("complete -c nnvk -n __fish_use_subcommand -a {} -d {}\n", command.name, fish_quoted(command.description));
    }
    for (const auto& option : command.options) {
      text += fmt::format("complete -c nnvk -n {} -l {}{} -d {}\n", when, option.name.substr(2), fish_action(option),
                          fish_quoted(option.description));
    }
    if (is_main || command.positionals.empty()) continue;
    const auto& first = command.positionals.front();
    const bool is_file = first.kind == WordKind::kFile || first.kind == WordKind::kModel;
    text += fmt::format("complete -c nnvk -n {}{}\n", when, is_file ? " -F" : fish_action(first).substr(3));
  }
  return text;
}

}  // namespace nnvk::tools
