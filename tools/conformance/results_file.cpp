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

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kFailed:
      return "failed";
    default:
      return "skipped";
  }
}

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
      if (cut_off) line += "\"result\":\"failed\"}";
      const auto record = nlohmann::json::parse(line, nullptr, false);
      if (!record.is_object()) return fail(fmt::format("{} is not a results file: '{:.60}'", path.string(), line));
      const auto result = record.value("result", "");
      finished_[record.value("case", "")] = result == "passed"    ? Verdict::kPassed
                                            : result == "skipped" ? Verdict::kSkipped
                                                                  : Verdict::kFailed;
    }
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (resume ? O_APPEND : O_TRUNC), 0644);
  if (file_ < 0) return fail(fmt::format("cannot write the results to {}: {}", path.string(), std::strerror(errno)));
  if (cut_off) return write("\"result\":\"failed\",\"message\":\"the run ended while this case was running\"}\n");
  return {};
}

Status ResultsFile::begin(const std::string& name) { return write(fmt::format("{{\"case\":{},", nlohmann::json(name).dump())); }

Status ResultsFile::end(const Outcome& outcome, double seconds) {
  using nlohmann::json;
  const auto message = json(outcome.message).dump(-1, ' ', false, json::error_handler_t::replace);
  return write(
      fmt::format("\"result\":\"{}\",\"seconds\":{:.6f},\"message\":{}}}\n", verdict_name(outcome.verdict), seconds, message));
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
