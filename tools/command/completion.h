// Scripts that let shells complete the command line of `nnvk`, made from the options that its commands have.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nnvk::tools {

// The kinds of words on the command line.
enum class WordKind {
  kNothing,  // a flag has no value
  kValue,    // a number or a text, of which the shell knows nothing
  kWord,     // one of CompletedWord::words
  kFile,
  kFolder,
  kModel,   // a .tflite or .onnx file
  kDevice,  // names of devices, with commas
};

// An option and its value, or a word without an option.
struct CompletedWord {
  std::string name;  // "--device"; "model" for a word without an option
  std::string description;
  WordKind kind = WordKind::kNothing;
  std::vector<std::string> words;
};

struct CompletedCommand {
  std::string name;  // "" for nnvk itself
  std::string description;
  std::vector<CompletedWord> options;
  std::vector<CompletedWord> positionals;
};

// Lists nnvk itself and its commands. The type names of options say what their values are: FILE, FOLDER, DEVICE, or words such as
// "burst|fenced".
std::vector<CompletedCommand> completed_commands(const CLI::App& app);

// Return the scripts, which ask `nnvk devices --names` for the names of devices.
std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);
// Returns the same table for other programs: {"commands": [{"name": "run", "options": [...]}]}.
nlohmann::ordered_json to_json(const std::vector<CompletedCommand>& commands);

}  // namespace nnvk::tools
