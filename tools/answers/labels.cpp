#include "tools/answers/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>

#include "tools/nnapi/files.h"

namespace nnvk::tools::answers {
namespace {

constexpr size_t kMostClasses = 1'000'000;  // numbers of classes in a file

struct NumberedLabel {
  size_t number = 0;
  std::string name;
};

// Splits "17  cat", "17: cat" or "17,cat". The result is empty for other lines.
std::optional<NumberedLabel> numbered(std::string_view line) {
  NumberedLabel label;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), label.number);
  if (error != std::errc() || label.number > kMostClasses) return std::nullopt;
  const std::string_view rest = line.substr(static_cast<size_t>(end - line.data()));
  const size_t name = rest.find_first_not_of(" \t:,");
  if (name == 0 || name == std::string_view::npos) return std::nullopt;
  label.name = rest.substr(name);
  return label;
}

// Returns the names by their numbers if every line has a number of its own.
std::vector<std::string> by_number(const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const auto& line : lines) {
    const auto label = numbered(line);
    if (!label) return {};
    names.resize(std::max(names.size(), label->number + 1));
    if (!names[label->number].empty()) return {};
    names[label->number] = label->name;
  }
  return names;
}

}  // namespace

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::optional<Labels> labels_in(std::string_view text, std::string source) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.empty()) return std::nullopt;
  auto names = by_number(lines);
  return Labels{names.empty() ? std::move(lines) : std::move(names), std::move(source)};
}

Result<Labels> read_labels(const std::filesystem::path& path) {
  TOOLS_ASSIGN(const std::string text, read_text_file(path));
  auto labels = labels_in(text, path.string());
  if (!labels) return fail(fmt::format("the labels {} name no class; one name per line is expected", path.string()));
  return *std::move(labels);
}

bool begins_with_background(const Labels& labels) {
  constexpr std::array kNames{"???", "background", "__background__", "unlabeled", "unlabelled", "none", "n/a", "bg"};
  return !labels.names.empty() && std::ranges::find(kNames, lower(labels.names.front())) != kNames.end();
}

std::optional<int> label_offset(const Labels& labels, size_t classes) {
  const size_t count = labels.names.size();
  if (count == classes) return 0;
  if (count == classes + 1 && begins_with_background(labels)) return 1;
  if (count + 1 == classes && !begins_with_background(labels)) return -1;
  if (count > classes && labels.names[classes].empty()) return 0;  // remarks follow
  return std::nullopt;
}

int label_offset_without_count(const Labels& labels) { return begins_with_background(labels) ? 1 : 0; }

std::string class_name(size_t number, const std::string& label) {
  return label.empty() ? fmt::format("class {}", number) : label;
}

std::string label_of(const Labels& labels, size_t number, int offset) {
  if (offset < 0 && number == 0) return "background";
  const size_t line = number + static_cast<size_t>(offset);  // wraps around to the line before
  return line < labels.names.size() ? labels.names[line] : "";
}

}  // namespace nnvk::tools::answers
