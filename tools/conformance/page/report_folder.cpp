// Files of a report.
#include "tools/conformance/page/report_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/conformance/case_list.h"
#include "tools/conformance/page/npy.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFailures = "failures";
constexpr const char* kEvidenceFile = "failure.json";

// Returns a name of a folder for any text: other characters than letters, digits, "-", "_" and "." become "_", and a hash keeps
// texts apart that would become the same, or that are too long.
std::string folder_name(const std::string& text) {
  constexpr size_t kMost = 180;
  std::string name = text.substr(0, kMost);
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!is_plain) c = '_';
  }
  if (name.empty() || name.front() == '.') name.insert(0, "_");
  return name == text ? name : fmt::format("{}-{:08x}", name, part_of(text, ~uint32_t{0}));
}

fs::path variant_folder(const std::string& variant) {
  return variant.empty() ? fs::path("default") : fs::path(folder_name(variant));
}

// Returns whether the limits leave room for another failure of this variant with evidence.
bool has_room(const fs::path& folder, const std::string& case_name) {
  const std::string group = folder_name(group_of(case_name)) + ".";
  size_t all = 0;
  size_t of_group = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    ++all;
    if (it->path().filename().string().starts_with(group)) ++of_group;
  }
  return all < kMostFailuresWithEvidence && of_group < kMostFailuresOfAGroup;
}

// Writes the dumps of a case until their limit.
class Dumps {
 public:
  explicit Dumps(fs::path folder) : folder_(std::move(folder)) {}

  // Writes a dump. Returns the file's name; "" without data, and if the dumps would become too large.
  Result<std::string> write(const std::string& name, int32_t type, std::span<const uint32_t> shape,
                            std::span<const uint8_t> bytes) {
    if (bytes.empty()) return std::string();
    if (written_ + bytes.size() > kMostDumpedBytes) {
      is_full_ = true;
      return std::string();
    }
    written_ += bytes.size();
    TOOLS_TRY(write_file(folder_ / name, npy_of(type, shape, bytes)));
    return name;
  }
  bool is_full() const { return is_full_; }

 private:
  fs::path folder_;
  uint64_t written_ = 0;
  bool is_full_ = false;
};

const std::vector<uint32_t>& shape_of_data(const VectorOperand& operand) {
  if (operand.actual_dimensions) return *operand.actual_dimensions;
  return operand.expected_dimensions ? *operand.expected_dimensions : operand.dimensions;
}

Status write_dumps(const fs::path& folder, const FailedCase& failed, Evidence& evidence) {
  Dumps dumps(folder);
  const VectorGraph& graph = failed.c.main;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {  // before the inputs, which may be larger
    const VectorOperand& expected = graph.operands[graph.outputs[i]];
    OutputEvidence& output = evidence.outputs[i];
    TOOLS_ASSIGN(output.expected_file,
                 dumps.write(fmt::format("expected_{}.npy", i), expected.type, shape_of_data(expected), expected.data));
    if (failed.outputs == nullptr || i >= failed.outputs->size()) continue;
    const CaseOutput& got = (*failed.outputs)[i];
    TOOLS_ASSIGN(output.got_file, dumps.write(fmt::format("got_{}.npy", i), expected.type, got.shape, got.bytes));
  }
  for (OperandEvidence& operand : evidence.operands) {
    const VectorOperand& source = graph.operands[operand.index];
    if (!is_tensor(source.type)) continue;  // the page shows its value
    const auto input = std::ranges::find(graph.inputs, operand.index);
    const auto name = input == graph.inputs.end() ? fmt::format("constant_{}.npy", operand.index)
                                                  : fmt::format("input_{}.npy", input - graph.inputs.begin());
    TOOLS_ASSIGN(operand.file, dumps.write(name, source.type, shape_of_data(source), source.data));
  }
  if (dumps.is_full()) evidence.left_out = fmt::format("the dumps of a case take at most {} MiB", kMostDumpedBytes >> 20);
  return {};
}

Status failure_of(const fs::path& path, const std::error_code& error) {
  return fail(fmt::format("cannot write the report to {}: {}", path.string(), error.message()));
}

}  // namespace

std::string group_of(const std::string& case_name) {
  constexpr int kParts = 4;
  size_t end = 0;
  for (int i = 0; i < kParts; ++i) {
    end = case_name.find('.', i == 0 ? 0 : end + 1);
    if (end == std::string::npos) return case_name;
  }
  return case_name.substr(0, end);
}

Status prepare_report_folder(const fs::path& folder, bool resume) {
  static const std::set<std::string> kOwn{"index.html", "summary.json", "results.jsonl", kFailures};
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failure_of(folder, error);
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const auto name = it->path().filename().string();
    if (kOwn.contains(name)) continue;
    return fail(fmt::format("--report {}: the folder holds {}, which is no part of a report; name a new or an empty folder",
                            folder.string(), name));
  }
  if (!error && !resume) fs::remove_all(folder / kFailures, error);
  return error ? failure_of(folder, error) : Status();
}

std::string evidence_folder(const std::string& case_name, const std::string& variant) {
  return (kFailures / variant_folder(variant) / folder_name(case_name)).generic_string();
}

bool wants_evidence(const fs::path& folder, const std::string& case_name, const std::string& variant) {
  const fs::path own = folder / evidence_folder(case_name, variant);
  std::error_code error;
  return fs::exists(own, error) || has_room(own.parent_path(), case_name);
}

Status keep_evidence(const fs::path& folder, const FailedCase& failed) {
  const fs::path own = folder / evidence_folder(failed.name, failed.variant);
  std::error_code error;
  fs::create_directories(own, error);
  if (error) return failure_of(own, error);
  Evidence evidence = examine(failed.c, failed.outputs, failed.may_flush);
  TOOLS_TRY(write_dumps(own, failed, evidence));
  return write_file(own / kEvidenceFile, to_json(evidence).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::optional<Evidence> read_evidence(const fs::path& folder, const std::string& case_name, const std::string& variant) try {
  const auto path = folder / evidence_folder(case_name, variant) / kEvidenceFile;
  if (std::error_code error; !fs::exists(path, error)) return std::nullopt;
  const auto text = read_text_file(path);
  return text ? std::optional(evidence_from(nlohmann::json::parse(*text))) : std::nullopt;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

void remove_stale_evidence(const fs::path& folder, const std::vector<Record>& records) {
  std::set<fs::path> kept;
  for (const auto& record : records) {
    if (record.outcome.verdict != Verdict::kFailed && !record.is_flaky()) continue;
    kept.insert(folder / evidence_folder(record.name, record.variant));
  }
  std::error_code error;
  for (fs::directory_iterator variant(folder / kFailures, error), end; !error && variant != end; variant.increment(error)) {
    std::vector<fs::path> stale;
    for (fs::directory_iterator it(variant->path(), error), last; !error && it != last; it.increment(error)) {
      if (!kept.contains(it->path())) stale.push_back(it->path());
    }
    for (const auto& path : stale) fs::remove_all(path, error);
  }
}

}  // namespace nnvk::tools::conformance
