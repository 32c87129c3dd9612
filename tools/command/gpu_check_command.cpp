// `nnvk gpu-check`: runs the stages of tools/device_check one after the other, each in a process of its own, and writes the page.
// This process never uses the library.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "tools/command/child_process.h"
#include "tools/command/command.h"
#include "tools/command/conformance_provenance.h"
#include "tools/command/gpu_check_stages.h"
#include "tools/command/json_output.h"
#include "tools/command/progress.h"
#include "tools/command/stop_signals.h"
#include "tools/command/terminal.h"
#include "tools/device_check/page.h"
#include "tools/device_check/plan.h"
#include "tools/nnapi/elapsed_time.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using device_check::Check;
using device_check::Json;
using device_check::StageOutput;
using device_check::StageResult;
using Clock = std::chrono::steady_clock;

constexpr size_t kVerdictWidth = 13;
constexpr uint64_t kMostLogBytes = uint64_t{8} << 20;

// Makes the folder, which must not hold anything.
Status prepare_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  if (!std::filesystem::is_empty(folder, error) || error) {
    return fail(fmt::format("the folder {} is not empty; name a new one", folder.string()));
  }
  return {};
}

class GpuCheck {
 public:
  explicit GpuCheck(const GpuCheckOptions& options)
      : options_(options), progress_("gpu-check", device_check::stages().size(), Beat::kUpdates) {}

  Result<int> run() {
    check_.facts = {{"nnvk", fmt::format("{} (commit {})", nnvk_version(), nnvk_commit())},
                    {"date", time_now()},
                    {"options", options_.command_line},
                    {"minutes", fmt::format("{:g}", options_.minutes)}};
    if (const auto environment = relevant_environment(); !environment.empty())
      check_.facts.emplace_back("environment", environment);
    for (size_t stage = 0; stage < device_check::stages().size() && StopSignals::received() == 0; ++stage) {
      const double begin = elapsed();
      const std::string name(device_check::stages()[stage].name);
      const double seconds = device_check::seconds_for(stage, begin, total());
      StageResult result = seconds >= device_check::stages()[stage].least_seconds
                               ? run_stage(name, seconds)
                               : StageResult{.name = name,
                                             .verdict = device_check::Verdict::kUnfinished,
                                             .summary = "left out: --minutes leaves too little time for it"};
      result.seconds = elapsed() - begin;
      progress_.update(stage + 1, name);
      say(result);
      if (stage == 0) {
        if (result.verdict != device_check::Verdict::kGood) return cannot_begin(result);
        device_ = result.figures;
        check_.facts.emplace_back("device", fmt::format("{}, {}", device_.value("name", ""), device_.value("version", "")));
      }
      check_.results.push_back(std::move(result));
    }
    check_.facts.emplace_back("seconds", fmt::format("{:.0f}", elapsed()));
    TOOLS_TRY(write_reports());
    return exit_code();
  }

 private:
  double elapsed() const { return seconds_since(begin_); }
  double total() const { return options_.minutes * 60; }
  std::filesystem::path file(const char* name) const { return std::filesystem::path(options_.report) / name; }

  void say(const StageResult& result) const {
    if (options_.json) return;
    const std::string_view verdict = device_check::name_of(result.verdict);
    const std::string space(verdict.size() < kVerdictWidth ? kVerdictWidth - verdict.size() : 0, ' ');
    fmt::print("{:<12} {}{} {:>6.1f} s  {}\n", result.name, coloured_verdict(stdout, verdict), space, result.seconds,
               result.summary);
    std::fflush(stdout);
  }

  static int cannot_begin(const StageResult& result) {
    const bool is_missing = result.verdict == device_check::Verdict::kNotPossible;
    return report_error({fmt::format("the check cannot begin: {}", result.summary)}, is_missing ? kNoDevice : kFailure);
  }

  // Runs the parts of a stage one after the other; they share the time evenly.
  StageResult run_stage(const std::string& name, double seconds) {
    const auto parts = gpu_check_parts(name);
    if (parts.empty()) return run_part(name, "", seconds);
    const double begin = elapsed();
    std::vector<std::pair<std::string, StageResult>> results;
    for (size_t i = 0; i < parts.size() && StopSignals::received() == 0; ++i) {
      const double left = begin + seconds - elapsed();
      const double part_begin = elapsed();
      StageResult result = run_part(name, parts[i], std::max(left, 0.0) / static_cast<double>(parts.size() - i));
      result.seconds = elapsed() - part_begin;
      results.emplace_back(parts[i], std::move(result));
    }
    return device_check::join(name, results);
  }

  StageResult run_part(const std::string& name, const std::string& part, double seconds) {
    const auto log = file("log.txt");
    std::error_code ignored;
    const uint64_t log_begin = std::filesystem::exists(log, ignored) ? std::filesystem::file_size(log, ignored) : 0;
    const StageTask task{.options = options_, .stage = name, .part = part, .seconds = seconds, .device = device_};
    StageOutput output;
    const auto body = [&](int channel) {
      ::dup2(channel, STDOUT_FILENO);
      const int to_log = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
      if (to_log >= 0) ::dup2(to_log, STDERR_FILENO);
      return run_gpu_check_stage(task);
    };
    // Commands end by themselves in time. A stage that does not, perhaps with a driver that hangs, is ended. Starting, and
    // measuring the peaks of all devices, may take longer than the share of a short check, above all on a machine with other
    // work.
    constexpr double kGrace = 120;
    const auto limit = std::chrono::milliseconds(static_cast<int64_t>((2 * seconds + kGrace) * 1e3));
    const auto answer = ask_child(gpu_check_environment(task), body, limit, [&] {
      progress_.update(check_.results.size(), part.empty() ? name : name + ", " + part);
      return StopSignals::received() != 0;
    });
    if (!answer) {
      output.problem = answer.error().message;
      output.ran_out_of_time = StopSignals::received() != 0;
    } else if (answer->end.signal != 0) {
      output.problem = "its process ended with " + conformance::to_text(answer->end);
    } else {
      output.exit_code = answer->end.exit_code;
      output.text = answer->text;
    }
    if (const auto text = read_text_file(log, kMostFileBytes); text && text->size() > log_begin)
      output.log = text->substr(log_begin);
    return device_check::judge(name, output);
  }

  Status write_reports() {
    shorten_log();
    const std::string text = json_text(device_check::to_json(check_));
    TOOLS_TRY(write_file(file("report.json"), text));
    TOOLS_TRY(write_file(file("index.html"), device_check::to_page(check_)));
    fmt::print("{}", options_.json ? text : fmt::format("the report is {}\n", file("index.html").string()));
    return {};
  }

  // Keeps the ends of a log that people could no longer send.
  void shorten_log() const {
    const auto text = read_text_file(file("log.txt"), kMostFileBytes);
    if (!text || text->size() <= kMostLogBytes) return;
    const auto half = kMostLogBytes / 2;
    const Status written = write_file(file("log.txt"), text->substr(0, half) + "\n[nnvk left the middle of this log out]\n" +
                                                           text->substr(text->size() - half));
    if (!written) report_note(written.error().message);
  }

  int exit_code() const {
    if (device_check::verdict_of(check_) == device_check::Verdict::kBad) return kFailure;
    return check_.results.size() < device_check::stages().size() ? kIncomplete : kSuccess;
  }

  const GpuCheckOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  Progress progress_;
  Check check_;
  Json device_ = Json::object();  // the figures of the first stage
};

}  // namespace

int run_gpu_check(const GpuCheckOptions& given) {
  GpuCheckOptions options = given;
  if (options.report.empty()) {
    options.report = "nnvk-gpu-check-" + time_now();
    std::ranges::replace(options.report, ':', '-');  // which some file systems and programs do not take in names
  }
  if (const Status prepared = prepare_folder(options.report); !prepared) return report_error(prepared.error());
  const StopSignals signals;
  const auto code = GpuCheck(options).run();
  return code ? *code : report_error(code.error());
}

}  // namespace nnvk::tools
