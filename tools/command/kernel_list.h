// The pipelines of one or many models, with the driver's statistics: collects them from the library's answers, prints them as
// text and JSON, compares lists. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

// One pipeline and all dispatches of it.
struct PipelineLine {
  std::string name;         // "ConvolutionFloat texel TYPE=0 TILE_PIXELS=8": the same in every list
  std::string kernel;       // "ConvolutionFloat"
  std::string family;       // "convolution"
  uint64_t group_size = 0;  // invocations
  nlohmann::ordered_json statistics = nlohmann::ordered_json::object();  // in the driver's words and order
  uint64_t dispatches = 0;                                               // per execution
  uint64_t preparations = 0;                                             // dispatches that pack constants
  uint64_t least_groups = 0;                                             // of a dispatch
  uint64_t most_groups = 0;
  double predicted_seconds = 0;  // of all dispatches of an execution
  std::string example;           // the first dispatch
  std::string reason;            // why it was chosen
};

struct KernelList {
  std::string source;  // the model's file; "registry"
  nlohmann::ordered_json device = nlohmann::ordered_json::object();
  std::vector<PipelineLine> pipelines;
  std::vector<std::string> unlisted;  // "CONV_2D (operation 3): why"
  std::vector<std::string> unused;    // kernels of which there is no pipeline; only of the registry
};

// Collects answers of nnvk_listKernels() into a list; pipelines keep the order of their first appearance.
class KernelCollector {
 public:
  // Adds the answer for a model. `what`: a name for the pipelines' example; if it is "", each pipeline gets the label of its
  // dispatch.
  void add(const nlohmann::ordered_json& answer, const std::string& what = {});
  KernelList take() { return std::move(list_); }

 private:
  PipelineLine& line_of(const nlohmann::ordered_json& pipeline);

  KernelList list_;
  std::unordered_map<std::string, size_t> lines_;  // by name
};

nlohmann::ordered_json to_json(const KernelList& list);
// Parses the JSON of to_json(); errors contain `what`.
Result<KernelList> kernel_list_from_json(const std::string& text, const std::string& what);

// Writes a table of pipelines, each with its reason below.
std::string to_text(const KernelList& list);

// Differences between two lists, pipeline by pipeline.
struct StatisticChange {
  std::string statistic;
  double before = 0;
  double after = 0;
  int verdict = 0;  // 1: better, -1: worse, 0: unknown
};
struct PipelineChange {
  std::string name;
  std::vector<StatisticChange> changes;
};
struct KernelComparison {
  std::vector<PipelineChange> changed;
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  size_t same = 0;  // pipelines
};

KernelComparison compare(const KernelList& before, const KernelList& after);
nlohmann::ordered_json to_json(const KernelComparison& comparison);
std::string to_text(const KernelComparison& comparison);

}  // namespace nnvk::tools
