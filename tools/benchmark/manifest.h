// The manifest of a benchmark: models, their inputs, and the answers that are known for them. docs/benchmark.md describes the
// file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools::benchmark {

// A class of a classification: its number, or its name in the labels of the model.
using ClassLabel = std::variant<size_t, std::string>;

// The inputs of one execution, and its first output as it should be. All paths are complete.
struct Sample {
  std::vector<std::filesystem::path> inputs{};  // pictures or raw values, in the order of the model's inputs
  std::filesystem::path original{};             // a picture: the input is made smaller from it, the output should be it
  std::optional<uint32_t> drawn{};              // the same with a picture that nnvk draws; the number chooses which
  std::optional<ClassLabel> label{};
  std::filesystem::path mask{};    // a grey picture whose values are the classes of the pixels
  std::vector<size_t> classes{};   // of the mask that count; empty: all
  std::filesystem::path values{};  // a text file of numbers

  bool operator==(const Sample&) const = default;
};

struct ModelEntry {
  std::string name{};
  std::filesystem::path file{};
  std::filesystem::path labels{};
  std::optional<double> mean{};       // input = (value - mean) / deviation
  std::optional<double> deviation{};  // not 0
  bool channels_first = false;        // pictures become [1, channels, height, width]
  std::filesystem::path lines{};      // a text file with a sample in each line: parse_line()
  std::vector<Sample> samples{};

  bool operator==(const ModelEntry&) const = default;
};

// Reads the text of a manifest. Paths in it are relative to `folder`. Errors name `file`, the entry and the remedy. Does not look
// at the files that the manifest names.
Result<std::vector<ModelEntry>> parse_manifest(std::string_view text, const std::string& file,
                                               const std::filesystem::path& folder);

// Lists the models of a folder, or a single model file, without samples. An error if there is none.
Result<std::vector<ModelEntry>> models_of(const std::filesystem::path& path);

// Reads manifests (.json), folders of models and model files, in this order. An error if two entries have one name.
Result<std::vector<ModelEntry>> read_entries(const std::vector<std::string>& sources);

// A line of small numbers: the class, a space, and a character for each value: 0 to 9 and a to z for 0 to 35.
struct LineSample {
  size_t label = 0;
  std::vector<float> values;
};
Result<LineSample> parse_line(std::string_view line);

}  // namespace nnvk::tools::benchmark
