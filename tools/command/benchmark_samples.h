// The inputs and the known answers of a model, read from the files that a manifest names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "importers/imported_model.h"
#include "tools/benchmark/accuracy.h"
#include "tools/benchmark/manifest.h"
#include "tools/command/benchmark_engine.h"
#include "tools/image/picture.h"

namespace nnvk::tools {

struct LoadedSample {
  Buffers inputs{};
  std::optional<size_t> label{};
  std::vector<size_t> mask{};  // a class per pixel of the output
  std::vector<size_t> counted_classes{};
  std::vector<float> values{};
  std::optional<Picture> picture{};
};

// Loads the samples of an entry. Errors name the model and the file. If the entry has no samples, the result is a sample of
// generated inputs without an answer.
Result<std::vector<LoadedSample>> load_samples(const benchmark::ModelEntry& entry, const importers::ImportedModel& model);

// Compares outputs with known answers.
class Scores {
 public:
  Scores(const benchmark::ModelEntry& entry, const importers::ImportedModel& model) : entry_(entry), output_(model.outputs[0]) {}

  // Compares the outputs of a sample and adds the result. An error if the output cannot be compared with the answer.
  Status add(const LoadedSample& sample, const Reals& outputs);
  benchmark::Accuracy means() const;

 private:
  struct Sum {
    double sum = 0;
    size_t count = 0;
    void add(double value) {
      sum += value;
      ++count;
    }
    std::optional<double> mean() const { return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt; }
  };

  const benchmark::ModelEntry& entry_;
  const importers::Port& output_;
  Sum top_1_;
  Sum top_5_;
  Sum psnr_;
  Sum iou_;
  Sum error_;
  size_t samples_ = 0;
};

}  // namespace nnvk::tools
