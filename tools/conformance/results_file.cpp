// Appending to and resuming a results file.
#include "tools/conformance/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace nnvk::tools::conformance {

namespace {

constexpr const char* kCutOff =
    "\"result\":\"failed\",\"kind\":\"crashed\",\"message\":\"the run ended while this case was running\"}";

Record parse_record(const nlohmann::json& json) {
  Record record{json.value("case", ""), json.value("family", ""), json.value("device", ""), json.value("variant", ""), {}, 0};
  const auto result = json.value("result", "");
  record.outcome.verdict = result == "passed" ? Verdict::kPassed : result == "skipped" ? Verdict::kSkipped : Verdict::kFailed;
  record.outcome.message = json.value("message", "");
  const auto kind = json.value("kind", "");
  for (const auto candidate : {FailureKind::kError, FailureKind::kWrongResult, FailureKind::kOutOfBounds,
                               FailureKind::kNotRepeatable, FailureKind::kCrashed}) {
    if (kind == kind_name(candidate)) record.outcome.kind = candidate;
  }
  record.seconds = json.value("seconds", 0.0);
  return record;
}

}  // namespace

ResultsFile::~ResultsFile() {
  if (file_ >= 0) close(file_);
}

Status ResultsFile::open(const std::filesystem::path& path, bool resume) {
  path_ = path;
  bool cut_off = false;
  if (resume) {
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
      cut_off = stream.eof();  // a last line without its end: the run died in that case
      if (cut_off) line += kCutOff;
      const auto record = nlohmann::json::parse(line, nullptr, false);
      if (!record.is_object()) return fail(fmt::format("{} is not a results file: '{:.60}'", path.string(), line));
      finished_.push_back(parse_record(record));
    }
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (resume ? O_APPEND : O_TRUNC), 0644);
  if (file_ < 0) return fail(fmt::format("cannot write the results to {}: {}", path.string(), std::strerror(errno)));
  if (cut_off) return write(fmt::format("{}\n", kCutOff));
  return {};
}

Status ResultsFile::begin(const Record& record) {
  const auto text = [](const std::string& value) { return nlohmann::json(value).dump(); };
  return write(fmt::format("{{\"case\":{},\"family\":{},\"device\":{},\"variant\":{},", text(record.name), text(record.family),
                           text(record.device), text(record.variant)));
}

Status ResultsFile::end(const Outcome& outcome, double seconds) {
  using nlohmann::json;
  const auto message = json(outcome.message).dump(-1, ' ', false, json::error_handler_t::replace);
  return write(fmt::format("\"result\":\"{}\",\"kind\":\"{}\",\"seconds\":{:.6f},\"message\":{}}}\n",
                           verdict_name(outcome.verdict), kind_name(outcome.kind), seconds, message));
}

Status ResultsFile::write(const std::string& text) {
  if (file_ < 0) return {};
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(fmt::format("cannot write the results to {}: {}", path_.string(), std::strerror(errno)));
    done += static_cast<size_t>(count);
  }
  return {};
}

}  // namespace nnvk::tools::conformance
