// The table of words, and the script for bash. The scripts for zsh and fish: other_completions.cpp.
#include "tools/command/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

namespace nnvk::tools {
namespace {

constexpr std::array kFileTypes{"FILE", "FILE.json", "LIBRARY", "A B"};

// Completes what belongs to one word. `kind` is set by _nnvk(), and `words` for the kind "word".
constexpr const char* kBashFunctions = R"bash(# Completes the command line of nnvk in bash. Made by `nnvk completion bash`.

# Completes names of devices, also behind a comma.
_nnvk_devices() {
  local before=""
  [[ $1 == *,* ]] && before="${1%,*},"
  [[ -n ${_nnvk_known_devices-} ]] || _nnvk_known_devices="vulkan cpu all $(nnvk devices --names 2>/dev/null)"
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$_nnvk_known_devices" -- "${1##*,}")
}

_nnvk_complete() {
  local kind="$1" words="$2" current="$3"
  case "$kind" in
    word) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
    device) _nnvk_devices "$current" ;;
    file | folder | model) compopt -o filenames 2>/dev/null ;;&
    file) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    model)
      mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.tflite' -- "$current"; compgen -f -X '!*.onnx' -- "$current")
      ;;
  esac
}

_nnvk() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" command="" i
  if [[ $current == "=" ]]; then  # --option=
    current=""
  elif [[ $previous == "=" ]]; then
    previous="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command="${COMP_WORDS[i]}"
      break
    fi
  done
  local options="" kind="" words="" positional="" positional_words=""
  case "$command" in
)bash";

constexpr const char* kBashEnd = R"bash(  esac
  COMPREPLY=()
  if [[ -n $kind ]]; then
    _nnvk_complete "$kind" "$words" "$current"
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    _nnvk_complete "$positional" "$positional_words" "$current"
  fi
}

complete -F _nnvk nnvk
)bash";

const char* name_of(WordKind kind) {
  switch (kind) {
    case WordKind::kNothing:
      return "nothing";
    case WordKind::kValue:
      return "value";
    case WordKind::kWord:
      return "word";
    case WordKind::kFile:
      return "file";
    case WordKind::kFolder:
      return "folder";
    case WordKind::kModel:
      return "model";
    case WordKind::kDevice:
      return "device";
  }
  return "";
}

CompletedWord word_of(const CLI::Option& option) {
  const bool is_positional = option.nonpositional() ? false : option.get_positional();
  CompletedWord word{.name = is_positional ? option.get_name(true) : "--" + option.get_lnames().front(),
                     .description = option.get_description(),
                     .words = {}};
  if (option.get_items_expected_max() == 0) return word;
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));  // behind it: ranges
  word.kind = WordKind::kValue;
  if (std::ranges::find(kFileTypes, type) != kFileTypes.end()) word.kind = WordKind::kFile;
  if (word.kind == WordKind::kFile && word.name == "model") word.kind = WordKind::kModel;
  if (type == "FOLDER") word.kind = WordKind::kFolder;
  if (type == "DEVICE") word.kind = WordKind::kDevice;
  if (type.find('|') == std::string::npos) return word;
  word.kind = WordKind::kWord;
  for (size_t begin = 0; begin <= type.size();) {
    const size_t end = std::min(type.find('|', begin), type.size());
    word.words.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return word;
}

CompletedCommand command_of(const CLI::App& app, const std::string& name) {
  CompletedCommand command{.name = name, .description = app.get_description(), .options = {}, .positionals = {}};
  for (const CLI::Option* option : app.get_options()) {
    auto word = word_of(*option);
    (word.name.starts_with("--") ? command.options : command.positionals).push_back(std::move(word));
  }
  return command;
}

std::string names_of(const std::vector<CompletedWord>& options) {
  std::vector<std::string> names;
  for (const auto& option : options) names.push_back(option.name);
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

std::vector<CompletedCommand> completed_commands(const CLI::App& app) {
  std::vector<CompletedCommand> commands{command_of(app, "")};
  CompletedWord names{.name = "command", .description = "a command", .kind = WordKind::kWord, .words = {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command_of(*command, command->get_name()));
    names.words.push_back(command->get_name());
  }
  commands.front().positionals.push_back(std::move(names));
  return commands;
}

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::string text = kBashFunctions;
  for (const auto& command : commands) {
    text +=
        fmt::format("    {})\n      options=\"{}\"\n", command.name.empty() ? "\"\"" : command.name, names_of(command.options));
    if (!command.positionals.empty()) {
      const auto& first = command.positionals.front();
      text += fmt::format("      positional={} positional_words=\"{}\"\n", name_of(first.kind), fmt::join(first.words, " "));
    }
    // Options with values of the same kind share a line.
    std::map<std::pair<WordKind, std::vector<std::string>>, std::vector<std::string>> kinds;
    for (const auto& option : command.options) {
      if (option.kind != WordKind::kNothing) kinds[{option.kind, option.words}].push_back(option.name);
    }
    text += "      case \"$previous\" in\n";
    for (const auto& [kind, names] : kinds) {
      text += fmt::format("        {}) kind={} words=\"{}\" ;;\n", fmt::join(names, " | "), name_of(kind.first),
                          fmt::join(kind.second, " "));
    }
    text += "      esac\n      ;;\n";
  }
  return text + kBashEnd;
}

nlohmann::ordered_json to_json(const std::vector<CompletedCommand>& commands) {
  using nlohmann::ordered_json;
  const auto words_json = [](const std::vector<CompletedWord>& words) {
    auto list = ordered_json::array();
    for (const auto& word : words) {
      ordered_json entry{{"name", word.name}, {"description", word.description}, {"value", name_of(word.kind)}};
      if (!word.words.empty()) entry["words"] = word.words;
      list.push_back(std::move(entry));
    }
    return list;
  };
  ordered_json json{{"commands", ordered_json::array()}};
  for (const auto& command : commands) {
    json["commands"].push_back({{"name", command.name},
                                {"description", command.description},
                                {"options", words_json(command.options)},
                                {"arguments", words_json(command.positionals)}});
  }
  return json;
}

}  // namespace nnvk::tools
