// Reading of manifests: every key is checked, and every error says where it is.
#include "tools/benchmark/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/nnapi/files.h"

namespace nnvk::tools::benchmark {
namespace {

using nlohmann::json;
using std::filesystem::path;

constexpr std::string_view kHint = "; docs/benchmark.md describes manifests";

// A JSON object of a manifest with its place, as in "models[2].samples[0]" behind the file's name.
class Entry {
 public:
  static Result<Entry> of(const json& value, std::string place, const path& folder,
                          std::initializer_list<std::string_view> keys) {
    if (!value.is_object()) return fail(fmt::format("{}: must be an object in braces, not {}{}", place, value.dump(), kHint));
    for (const auto& [key, unused] : value.items()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      return fail(fmt::format("{}: unknown key '{}'; there are: {}", place, key, fmt::join(keys, ", ")));
    }
    return Entry(value, std::move(place), folder);
  }

  const std::string& place() const { return place_; }
  bool has(const char* key) const { return value_.contains(key); }
  const json& at(const char* key) const { return value_.at(key); }
  std::string place_of(const char* key, size_t index) const { return fmt::format("{}.{}[{}]", place_, key, index); }

  // Returns an error about the value of a key.
  tl::unexpected<Error> wrong(const char* key, std::string_view expected) const {
    return fail(fmt::format("{}: '{}' must be {}, not {}{}", place_, key, expected, value_.at(key).dump(), kHint));
  }

  Result<std::string> text(const char* key) const {
    if (!has(key)) return fail(fmt::format("{}: the key '{}' is missing{}", place_, key, kHint));
    if (!at(key).is_string() || at(key).get<std::string>().empty()) return wrong(key, "a text in quotes");
    return at(key).get<std::string>();
  }
  // Returns the path of a file; empty if the key is missing.
  Result<path> file(const char* key) const {
    if (!has(key)) return path();
    TOOLS_ASSIGN(const std::string name, text(key));
    return folder_ / name;
  }
  Result<std::optional<double>> number(const char* key) const {
    if (!has(key)) return std::optional<double>();
    if (!at(key).is_number()) return wrong(key, "a number");
    return std::optional<double>(at(key).get<double>());
  }
  Result<std::vector<path>> files(const char* key) const {
    std::vector<path> paths;
    if (!has(key)) return paths;
    if (!at(key).is_array() || at(key).empty()) return wrong(key, "a list of files in brackets");
    for (const auto& name : at(key)) {
      if (!name.is_string()) return wrong(key, "a list of files in brackets");
      paths.push_back(folder_ / name.get<std::string>());
    }
    return paths;
  }

 private:
  Entry(const json& value, std::string place, const path& folder) : value_(value), place_(std::move(place)), folder_(folder) {}

  const json& value_;
  std::string place_;
  const path& folder_;
};

Result<ClassLabel> class_of(const Entry& entry) {
  const json& value = entry.at("class");
  if (value.is_number_unsigned()) return ClassLabel(value.get<size_t>());
  if (value.is_string()) return ClassLabel(value.get<std::string>());
  return entry.wrong("class", "the number of a class, or its name in the labels");
}

Result<Sample> read_sample(const json& value, const std::string& place, const path& folder) {
  TOOLS_ASSIGN(const Entry entry,
               Entry::of(value, place, folder, {"inputs", "original", "drawn", "class", "mask", "classes", "values"}));
  Sample sample;
  TOOLS_ASSIGN(sample.inputs, entry.files("inputs"));
  TOOLS_ASSIGN(sample.original, entry.file("original"));
  if (entry.has("drawn")) {
    if (!entry.at("drawn").is_number_unsigned()) return entry.wrong("drawn", "a number, 0 or more");
    sample.drawn = entry.at("drawn").get<uint32_t>();
  }
  const int sources = int{entry.has("inputs")} + int{entry.has("original")} + int{entry.has("drawn")};
  if (sources != 1) {
    return fail(fmt::format("{}: needs exactly one of 'inputs', 'original' and 'drawn'; it has {}{}", place, sources, kHint));
  }
  if (entry.has("class")) {
    TOOLS_ASSIGN(sample.label, class_of(entry));
  }
  TOOLS_ASSIGN(sample.mask, entry.file("mask"));
  if (entry.has("classes")) {
    const json& classes = entry.at("classes");
    const bool are_numbers = std::ranges::all_of(classes, [](const json& number) { return number.is_number_unsigned(); });
    if (!classes.is_array() || !are_numbers) return entry.wrong("classes", "a list of classes of the mask, as in [0, 3]");
    if (sample.mask.empty()) return fail(fmt::format("{}: 'classes' are those of a mask; add 'mask' or remove them", place));
    sample.classes = classes.get<std::vector<size_t>>();
  }
  TOOLS_ASSIGN(sample.values, entry.file("values"));
  const int answers = int{entry.has("class")} + int{entry.has("mask")} + int{entry.has("values")} + int{!entry.has("inputs")};
  if (answers > 1) {
    return fail(
        fmt::format("{}: has {} answers, but may have only one: the key 'class', 'mask' or 'values', or a picture to restore "
                    "(the key 'original' or 'drawn')",
                    place, answers));
  }
  return sample;
}

Result<ModelEntry> read_model(const json& value, const std::string& place, const path& folder) {
  TOOLS_ASSIGN(const Entry entry,
               Entry::of(value, place, folder, {"name", "file", "labels", "mean", "std", "channels_first", "lines", "samples"}));
  ModelEntry model;
  TOOLS_ASSIGN(const std::string file, entry.text("file"));
  model.file = folder / file;
  model.name = model.file.stem();
  if (entry.has("name")) {
    TOOLS_ASSIGN(model.name, entry.text("name"));
  }
  TOOLS_ASSIGN(model.labels, entry.file("labels"));
  TOOLS_ASSIGN(model.mean, entry.number("mean"));
  TOOLS_ASSIGN(model.deviation, entry.number("std"));
  if (model.deviation == 0.0) return entry.wrong("std", "a number other than 0");
  if (entry.has("channels_first")) {
    if (!entry.at("channels_first").is_boolean()) return entry.wrong("channels_first", "true or false");
    model.channels_first = entry.at("channels_first").get<bool>();
  }
  TOOLS_ASSIGN(model.lines, entry.file("lines"));
  if (!entry.has("samples")) return model;
  if (!model.lines.empty()) return fail(fmt::format("{}: has both 'lines' and 'samples'; remove one", place));
  if (!entry.at("samples").is_array()) return entry.wrong("samples", "a list in brackets");
  for (const json& one : entry.at("samples")) {
    const auto where = entry.place_of("samples", model.samples.size());
    TOOLS_ASSIGN(auto sample, read_sample(one, where, folder));
    const bool has_name = sample.label && std::holds_alternative<std::string>(*sample.label);
    if (has_name && model.labels.empty()) {
      return fail(fmt::format("{}: the class '{}' is a name, but the model has no 'labels'; add them or give the number", where,
                              std::get<std::string>(*sample.label)));
    }
    model.samples.push_back(std::move(sample));
  }
  return model;
}

bool is_model_file(const path& file) { return file.extension() == ".tflite" || file.extension() == ".onnx"; }

}  // namespace

Result<std::vector<ModelEntry>> parse_manifest(std::string_view text, const std::string& file, const path& folder) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& error) {
    return fail(fmt::format("{}: not valid JSON: {}", file, error.what()));
  }
  TOOLS_ASSIGN(const Entry entry, Entry::of(document, file, folder, {"models"}));
  if (!entry.has("models") || !entry.at("models").is_array() || entry.at("models").empty()) {
    return fail(fmt::format("{}: needs a list 'models' with at least one model{}", file, kHint));
  }
  std::vector<ModelEntry> models;
  for (const json& model : entry.at("models")) {
    TOOLS_ASSIGN(auto read, read_model(model, fmt::format("{}: models[{}]", file, models.size()), folder));
    models.push_back(std::move(read));
  }
  return models;
}

Result<std::vector<ModelEntry>> models_of(const path& source) {
  std::vector<path> files;
  std::error_code error;
  if (std::filesystem::is_directory(source, error)) {
    for (const auto& file : std::filesystem::directory_iterator(source, error)) {
      if (is_model_file(file.path())) files.push_back(file.path());
    }
    if (error) return fail(fmt::format("cannot read the folder {}: {}", source.string(), error.message()));
    if (files.empty()) return fail(fmt::format("{}: the folder holds no .tflite or .onnx file", source.string()));
    std::ranges::sort(files);
  } else {
    files.push_back(source);
  }
  std::vector<ModelEntry> models;
  for (const path& file : files) models.push_back({.name = file.stem(), .file = file});
  return models;
}

Result<std::vector<ModelEntry>> read_entries(const std::vector<std::string>& sources) {
  std::vector<ModelEntry> all;
  std::set<std::string> names;
  for (const path source : sources) {
    std::vector<ModelEntry> models;
    if (!std::filesystem::is_directory(source) && source.extension() == ".json") {
      TOOLS_ASSIGN(const std::string text, read_text_file(source));
      TOOLS_ASSIGN(models, parse_manifest(text, source.string(), source.parent_path()));
    } else if (std::filesystem::is_directory(source) || is_model_file(source)) {
      TOOLS_ASSIGN(models, models_of(source));
    } else {
      return fail(fmt::format("{} is no manifest (.json), no model (.tflite, .onnx) and no folder{}", source.string(), kHint));
    }
    for (auto& model : models) {
      if (!names.insert(model.name).second) {
        return fail(fmt::format("{}: a second model is named '{}'; give it another 'name'", source.string(), model.name));
      }
      all.push_back(std::move(model));
    }
  }
  return all;
}

Result<LineSample> parse_line(std::string_view line) {
  const auto value_of = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : -1;
  };
  LineSample sample;
  const auto no_class = [] { return fail("must begin with the number of a class and a space, as in \"7 0a5\""); };
  const size_t space = line.find(' ');
  if (space == 0 || space == std::string_view::npos) return no_class();
  for (const char c : line.substr(0, space)) {
    if (c < '0' || c > '9' || sample.label > 1'000'000) return no_class();
    sample.label = sample.label * 10 + static_cast<size_t>(c - '0');
  }
  for (const char c : line.substr(space + 1)) {
    const int value = value_of(c);
    if (value < 0) return fail(fmt::format("has the character '{}'; values are digits from 0 to 9 and letters from a to z", c));
    sample.values.push_back(static_cast<float>(value));
  }
  return sample;
}

}  // namespace nnvk::tools::benchmark
