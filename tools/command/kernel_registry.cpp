// Walks all rows of all generators.
#include "tools/command/kernel_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <set>

#include "tools/command/progress.h"
#include "tools/command/registry_parts.h"
#include "tools/conformance/compiled_case.h"
#include "tools/conformance/generators/rows.h"
#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/names.h"

using nlohmann::ordered_json;

namespace nnvk::tools {
namespace {

using conformance::Lifetime;
using conformance::VectorCase;
using conformance::VectorOperand;

constexpr int kMostDoublings = 13;
constexpr int kEnlargedOfAKind = 3;
constexpr uint64_t kMostElements = uint64_t{1} << 31;  // of an enlarged input; devices have no larger buffers

// Returns the case with the dimensions that its execution would set in place of the open dimensions of inputs.
VectorCase with_actual_shapes(VectorCase c) {
  for (VectorOperand& operand : c.main.operands) {
    if (operand.actual_dimensions) operand.dimensions = *operand.actual_dimensions;
  }
  return c;
}

// Returns the names of the pipelines in an answer, for comparing answers.
std::set<std::string> pipelines_of(const ordered_json& answer) {
  std::set<std::string> names;
  for (const auto& pipeline : answer.at("pipelines")) {
    names.insert(pipeline.value("kernel", "") + pipeline.value("variant", "") + pipeline.at("specialization").dump());
  }
  return names;
}

// The width of a work group's tiles. The library chooses other kernels for layers at least this wide when they are enlarged.
constexpr uint32_t kWide = 64;
bool is_wide(const VectorCase& c) {
  return std::ranges::any_of(c.main.operands, [](const VectorOperand& operand) {
    return std::ranges::any_of(operand.dimensions, [](uint32_t dimension) { return dimension >= kWide; });
  });
}

// Returns a key that is equal for similar cases. Only a few cases with the same key are enlarged.
std::string likeness(const VectorCase& c, const std::set<std::string>& pipelines) {
  std::string text = is_wide(c) ? "wide " : "";
  for (const auto& operation : c.main.operations) text += std::to_string(operation.code) + " ";
  for (const std::string& pipeline : pipelines) text += pipeline + " ";
  return text;
}

// Returns the part of a row's name that names operation and type: "nnvk.convolution.conv_2d.quant8". Rows of different kinds have
// different pipelines, so each kind is enlarged by itself.
std::string kind_of(const std::string& row) {
  size_t end = 0;
  for (int dots = 0; dots < 4 && end != std::string::npos; ++dots) end = row.find('.', end == 0 ? 0 : end + 1);
  return row.substr(0, end);
}

// Asks the library once for each enlarged form of a case, and keeps its valid answers.
class Sizes {
 public:
  Sizes(const VectorCase& c, const std::string& name, const AskKernels& ask, KernelCollector& collector)
      : case_(c), name_(name), ask_(ask), collector_(collector) {}

  // Returns the pipelines of the case enlarged by 2^doublings; nothing if the model is invalid at that size.
  std::optional<std::set<std::string>> at(int doublings) {
    for (const bool all : {true, false}) {
      const auto larger = enlarged(case_, uint32_t{1} << doublings, all);
      if (!larger) return std::nullopt;
      auto answer = ask_(*larger);
      if (!answer) continue;
      (*answer)["unlisted"] = ordered_json::array();  // expected: the size exceeds the device's limits
      if (answer->at("pipelines").empty()) return std::nullopt;
      collector_.add(*answer, fmt::format("{}, {} times as large", name_, 1 << doublings));
      return pipelines_of(*answer);
    }
    return std::nullopt;
  }

  // Searches by bisection for the sizes between `low` and `high` at which the pipelines change, and adds these sizes.
  void between(int low, const std::set<std::string>& at_low, int high, const std::set<std::string>& at_high) {
    if (high - low < 2 || at_low == at_high) return;
    const int middle = (low + high) / 2;
    const auto at_middle = at(middle);
    if (!at_middle) return;
    between(low, at_low, middle, *at_middle);
    between(middle, *at_middle, high, at_high);
  }

 private:
  const VectorCase& case_;
  const std::string& name_;
  const AskKernels& ask_;
  KernelCollector& collector_;
};

}  // namespace

std::optional<VectorCase> enlarged(const VectorCase& c, uint32_t factor, bool all) {
  VectorCase larger = c;
  bool changed = false;
  for (const uint32_t index : c.main.inputs) {
    VectorOperand& operand = larger.main.operands[index];
    operand.data.clear();
    operand.actual_dimensions.reset();
    if (operand.is_open() || operand.dimensions.empty() || (changed && !all)) continue;
    uint64_t elements = factor;
    for (const uint32_t dimension : operand.dimensions) elements *= dimension;
    if (elements > kMostElements) return std::nullopt;
    operand.dimensions[0] *= factor;
    changed = true;
  }
  if (!changed) return std::nullopt;
  for (VectorOperand& operand : larger.main.operands) {
    const bool computed = operand.lifetime == Lifetime::kModelOutput || operand.lifetime == Lifetime::kTemporary;
    if (computed && is_tensor(operand.type)) operand.dimensions.clear();
  }
  return larger;
}

Status add_sizes(const VectorCase& given, const std::string& name, const AskKernels& ask, EnlargedBefore& before,
                 KernelCollector& collector) {
  const VectorCase c = with_actual_shapes(given);
  TOOLS_ASSIGN(const auto answer, ask(c));
  collector.add(answer, name);
  const auto smallest = pipelines_of(answer);
  if (before[likeness(c, smallest)]++ >= kEnlargedOfAKind) return {};
  Sizes sizes(c, name, ask, collector);
  for (int high = kMostDoublings; high > 0; --high) {  // finds the largest size that the device accepts
    const auto largest = sizes.at(high);
    if (!largest) continue;
    sizes.between(0, smallest, high, *largest);
    break;
  }
  return {};
}

std::vector<RegistryPart> registry_parts(std::span<const std::string> variants, std::span<const std::string> rows) {
  std::vector<RegistryPart> parts;
  for (const std::string& variant : variants) {
    std::map<std::string, size_t> known;
    for (size_t row = 0; row < rows.size(); ++row) {
      const std::string kind = variant + " " + kind_of(rows[row]);
      const auto [part, is_new] = known.try_emplace(kind, parts.size());
      if (is_new) parts.push_back({kind, variant, {}});
      parts[part->second].rows.push_back(row);
    }
  }
  return parts;
}

Result<KernelList> list_registry(const ordered_json& request, const RegistryRun& run) {
  TOOLS_ASSIGN(const auto table, list_kernels(nullptr, request));
  std::vector<std::string> variants{request.value("variant", "")};
  if (variants.front().empty()) variants.emplace_back("words");
  const auto& rows = conformance::generated_rows().all();
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.dotted);
  const std::vector<RegistryPart> parts = registry_parts(variants, names);
  TOOLS_ASSIGN(FinishedParts finished, FinishedParts::open(run.resume, {{"device", table.at("device")}, {"rows", rows.size()}}));
  std::vector<KernelList> lists(parts.size());
  Progress progress("cases", rows.size() * variants.size());
  std::mutex mutex;  // of `finished`
  std::atomic<size_t> done = 0;
  nnvk_muteFailedCalls(true);  // enlarged cases may be invalid
  const Status all = run_on_threads(parts.size(), run.threads, [&](size_t i) -> Status {
    const RegistryPart& part = parts[i];
    {
      const std::lock_guard lock(mutex);
      if (const KernelList* before = finished.find(part.name)) {
        lists[i] = *before;
        done += part.rows.size();
        return {};
      }
    }
    ordered_json one = request;
    if (!part.variant.empty()) one["variant"] = part.variant;
    const AskKernels ask = [&](const VectorCase& c) -> Result<ordered_json> {
      TOOLS_ASSIGN(const auto built, conformance::build_case(c));
      return list_kernels(built.main.builder->model(), one);
    };
    KernelCollector collector;
    std::vector<std::string> invalid;
    EnlargedBefore before;
    for (const size_t row : part.rows) {
      progress.update(done++, rows[row].dotted);
      if (rows[row].must_be_refused) continue;
      const auto added = add_sizes(rows[row].make(0), rows[row].dotted, ask, before, collector);
      if (!added) invalid.push_back(rows[row].dotted + ": " + added.error().message);
    }
    KernelList list = collector.take();
    std::ranges::copy(invalid, std::back_inserter(list.unlisted));
    lists[i] = list;
    const std::lock_guard lock(mutex);
    return finished.add(part.name, std::move(list));
  });
  nnvk_muteFailedCalls(false);
  TOOLS_TRY(all);
  finished.remove();
  KernelList list = merged(lists);
  list.source = "registry";
  list.device = table.at("device");
  std::set<std::string> used;
  for (const PipelineLine& line : list.pipelines) used.insert(line.kernel);
  for (const auto& kernel : table.at("kernels")) {
    if (!used.contains(kernel.value("kernel", ""))) list.unused.push_back(kernel.value("kernel", ""));
  }
  std::ranges::sort(list.pipelines, {}, &PipelineLine::name);
  return list;
}

}  // namespace nnvk::tools
