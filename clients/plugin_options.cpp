#include "clients/plugin_options.h"

#include <android/NeuralNetworks.h>

#include <array>
#include <charconv>
#include <span>

namespace nnvk::clients {
namespace {

struct Choice {
  std::string_view word;
  int value;
};

Result<int> choose(std::string_view option, const std::string& value, std::span<const Choice> choices) {
  std::string words;
  for (const Choice& choice : choices) {
    if (choice.word == value) return choice.value;
    words += (words.empty() ? "" : ", ") + std::string(choice.word);
  }
  return fail("option '" + std::string(option) + "' has the unknown value '" + value + "'; it takes one of: " + words);
}

Status take_device(PluginOptions& options, const std::string& value) {
  if (value.empty()) return fail("option 'device' is empty; it takes what `nnvk devices` lists, or vulkan, cpu or auto");
  options.device = value;
  return {};
}

Status take_precision(PluginOptions& options, const std::string& value) {
  constexpr std::array<Choice, 2> kChoices{{{"exact", 0}, {"relaxed", 1}}};
  TOOLS_ASSIGN(const int choice, choose("precision", value, kChoices));
  options.relaxed = choice == 1;
  return {};
}

Status take_cache_directory(PluginOptions& options, const std::string& value) {
  if (value.empty()) return fail("option 'cache_dir' is empty; it takes the path of a folder");
  options.cache_directory = value;
  return {};
}

Status take_priority(PluginOptions& options, const std::string& value) {
  constexpr std::array<Choice, 3> kChoices{{{"low", ANEURALNETWORKS_PRIORITY_LOW},
                                            {"medium", ANEURALNETWORKS_PRIORITY_MEDIUM},
                                            {"high", ANEURALNETWORKS_PRIORITY_HIGH}}};
  TOOLS_ASSIGN(options.priority, choose("priority", value, kChoices));
  return {};
}

Status take_min_nodes(PluginOptions& options, const std::string& value) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number == 0) {
    return fail("option 'min_nodes' has the value '" + value + "'; it takes a whole number from 1 on");
  }
  options.min_nodes = number;
  return {};
}

Status take_explain(PluginOptions& options, const std::string& value) {
  constexpr std::array<Choice, 2> kChoices{{{"0", 0}, {"1", 1}}};
  TOOLS_ASSIGN(const int choice, choose("explain", value, kChoices));
  options.explain = choice == 1;
  return {};
}

Status take_choice(PluginOptions& options, const std::string& value) {
  constexpr std::array<Choice, 2> kChoices{{{"predicted", 0}, {"measured", 1}}};
  TOOLS_ASSIGN(const int choice, choose("choice", value, kChoices));
  options.measures = choice == 1;
  return {};
}

struct Row {
  std::string_view name;
  Status (*take)(PluginOptions& options, const std::string& value);
};
constexpr std::array<Row, 7> kRows{{{"device", take_device},
                                    {"precision", take_precision},
                                    {"cache_dir", take_cache_directory},
                                    {"priority", take_priority},
                                    {"min_nodes", take_min_nodes},
                                    {"explain", take_explain},
                                    {"choice", take_choice}}};

}  // namespace

Status set_option(PluginOptions& options, std::string_view name, const std::string& value) {
  std::string names;
  for (const Row& row : kRows) {
    if (row.name == name) return row.take(options, value);
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return fail("option '" + std::string(name) + "' is unknown; there are: " + names);
}

}  // namespace nnvk::clients
