// Lines of results files: reading, appending, and what a full disk leaves undone.
#include "tools/conformance/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace nnvk::tools::conformance {
namespace {

using nlohmann::json;

constexpr const char* kHeader = "run";  // the member that makes a line a header
constexpr const char* kEnd = "end";     // likewise of the line at the end of a run

std::string to_line(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Verdict verdict_named(const std::string& text) {
  return text == verdict_name(Verdict::kPassed)    ? Verdict::kPassed
         : text == verdict_name(Verdict::kSkipped) ? Verdict::kSkipped
                                                   : Verdict::kFailed;
}

Record parse_record(const json& line) {
  Record record{line.value("case", ""), line.value("family", ""), line.value("device", ""), line.value("variant", ""), {}};
  record.outcome.verdict = verdict_named(line.value("result", ""));
  record.outcome.message = line.value("message", "");
  record.outcome.kind = kind_named(line.value("kind", ""));
  record.seconds = line.value("seconds", 0.0);
  record.attempts = line.value("attempts", 1);
  record.type = line.value("type", "");
  return record;
}

// Returns the part of a results file up to the end of its last whole line.
Result<std::string> whole_lines(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(fmt::format("cannot read the results in {}: {}", path.string(), std::strerror(errno)));
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  text.resize(text.find_last_of('\n') + 1);  // npos + 1 is 0
  return text;
}

// Adds the record or header of a line. Throws an exception of the JSON library if a member has another type than it should.
void take_line(const json& line, std::vector<Section>& sections) {
  if (const auto header = line.find(kHeader); header != line.end()) {
    sections.push_back({provenance_from(*header), {}});
    return;
  }
  if (sections.empty()) sections.emplace_back();
  if (const auto end = line.find(kEnd); end != line.end()) {
    sections.back().provenance.seconds = end->value("seconds", 0.0);
  } else {
    sections.back().records.push_back(parse_record(line));
  }
}

Result<std::vector<Section>> parse_sections(const std::string& text, const std::filesystem::path& path) {
  std::vector<Section> sections;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const auto wrong = [&] { return fail(fmt::format("{} is not a results file: '{:.60}'", path.string(), line)); };
    const auto parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object()) return wrong();
    try {
      take_line(parsed, sections);
    } catch (const json::exception&) {
      return wrong();
    }
  }
  return sections;
}

}  // namespace

Result<std::vector<Section>> read_results(const std::filesystem::path& path) {
  TOOLS_ASSIGN(const auto text, whole_lines(path));
  return parse_sections(text, path);
}

Status ResultsFile::open(const std::filesystem::path& path, bool resume) {
  path_ = path;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) return fail(fmt::format("cannot write the results to {}: {}", path.string(), std::strerror(errno)));
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close();
    return fail(fmt::format("another process writes its results to {}; wait for its end, or name another file", path.string()));
  }
  std::string text;
  if (resume) {
    TOOLS_ASSIGN(text, whole_lines(path));
    TOOLS_ASSIGN(earlier_, parse_sections(text, path));
  }
  // Devices and pipes have no length to change.
  if (std::filesystem::is_regular_file(path) && ::ftruncate(file_, static_cast<off_t>(text.size())) != 0) {
    return fail(fmt::format("cannot shorten {}: {}", path.string(), std::strerror(errno)));
  }
  return {};
}

Status ResultsFile::begin(const Provenance& provenance) { return append(to_line({{kHeader, to_json(provenance)}})); }

Status ResultsFile::end(double seconds) { return append(to_line({{kEnd, {{"seconds", seconds}}}})); }

Status ResultsFile::add(const Record& record) {
  nlohmann::ordered_json line{{"case", record.name},
                              {"family", record.family},
                              {"type", record.type},
                              {"device", record.device},
                              {"variant", record.variant},
                              {"result", verdict_name(record.outcome.verdict)},
                              {"kind", kind_name(record.outcome.kind)},
                              {"seconds", record.seconds},
                              {"message", record.outcome.message}};
  if (record.attempts > 1) line["attempts"] = record.attempts;
  return append(to_line(line));
}

Status ResultsFile::append(std::string line) {
  if (file_ < 0) return {};
  kept_.push_back(std::move(line));
  return flush();
}

Status ResultsFile::flush() {
  while (!kept_.empty()) {
    std::string& line = kept_.front();
    const ssize_t count = ::write(file_, line.data(), line.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(fmt::format("cannot write the results to {}: {}", path_.string(), std::strerror(errno)));
    line.erase(0, static_cast<size_t>(count));
    if (line.empty()) kept_.pop_front();
  }
  return {};
}

void ResultsFile::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace nnvk::tools::conformance
