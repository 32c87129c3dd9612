// The decisions about cases, processes and exit codes.
#include "tools/conformance/case_queue.h"

#include <fmt/format.h>

#include <bit>
#include <csignal>
#include <cstring>
#include <utility>

namespace nnvk::tools::conformance {

std::string to_text(const ProcessEnd& end) {
  if (end.signal == 0) return fmt::format("exit code {}", end.exit_code);
  return fmt::format("signal {} ({})", end.signal, strsignal(end.signal));
}

bool came_from_outside(const ProcessEnd& end) {
  return end.signal == SIGKILL || end.signal == SIGTERM || end.signal == SIGINT || end.signal == SIGHUP;
}

std::vector<size_t> spread(const std::vector<size_t>& cases) {
  std::vector<size_t> order;
  order.reserve(cases.size());
  const size_t bits = cases.empty() ? 0 : std::bit_width(cases.size() - 1);
  for (size_t i = 0; i < size_t{1} << bits; ++i) {
    size_t position = 0;  // the bits of i in reverse
    for (size_t bit = 0; bit < bits; ++bit) position |= (i >> bit & 1) << (bits - 1 - bit);
    if (position < cases.size()) order.push_back(cases[position]);
  }
  return order;
}

CaseQueue::CaseQueue(const std::vector<size_t>& cases, int retries) : retries_(retries), total_(cases.size()) {
  for (const size_t index : cases) tasks_.push_back({Task::Kind::kJudge, index});
}

std::optional<Task> CaseQueue::take() {
  if (tasks_.empty()) return std::nullopt;
  const Task task = tasks_.front();
  tasks_.pop_front();
  return task;
}

void CaseQueue::give_back(Task task) { tasks_.push_front(task); }

std::optional<Settled> CaseQueue::settle(size_t index, Outcome outcome, double seconds) {
  in_a_row_ = ends_process(outcome.kind) ? in_a_row_ + 1 : 0;
  Attempts& attempts = attempts_[index];
  const bool has_failed = outcome.verdict == Verdict::kFailed;
  if (has_failed && attempts.failed < retries_) {
    ++attempts.failed;
    attempts.last_failure = fmt::format("{}: {}", kind_name(outcome.kind), outcome.message);
    tasks_.push_back({Task::Kind::kJudge, index});
    return std::nullopt;
  }
  ++settled_;
  Settled settled{index, std::move(outcome), seconds, attempts.failed + 1};
  if (!has_failed && attempts.failed > 0) settled.outcome.message = std::move(attempts.last_failure);
  attempts_.erase(index);
  return settled;
}

std::optional<Settled> CaseQueue::process_ended(size_t index, const ProcessEnd& end, double seconds) {
  auto message = fmt::format("the process ended with {} while it ran this case", to_text(end));
  if (came_from_outside(end)) {
    if (++attempts_[index].kills < kMostKills) {
      tasks_.push_front({Task::Kind::kJudge, index});
      return std::nullopt;
    }
    message += fmt::format("; that happened {} times", kMostKills);
  }
  return settle(index, {Verdict::kFailed, std::move(message), FailureKind::kCrashed}, seconds);
}

void CaseQueue::explain(size_t index) {
  ++explanations_;
  tasks_.push_front({Task::Kind::kExplain, index});
}

std::map<std::string, Record> taken_over(const std::vector<Section>& earlier, const Subject& subject) {
  std::map<std::string, Record> last;
  for (const auto& section : earlier) {
    if (section.provenance.subject != subject) continue;
    for (const auto& record : section.records) last.insert_or_assign(record.name, record);
  }
  std::erase_if(last, [](const auto& entry) { return ends_process(entry.second.outcome.kind); });
  return last;
}

Judgement judge_run(const RunFacts& facts) {
  if (facts.settled < facts.expected || facts.unwritten > 0) return Judgement::kIncomplete;
  if (facts.failures > 0 || facts.bad_ends > 0) return Judgement::kFailed;
  const bool skips_too_many = facts.most_skipped >= 0 && facts.skipped > static_cast<size_t>(facts.most_skipped);
  return skips_too_many ? Judgement::kIncomplete : Judgement::kConformant;
}

}  // namespace nnvk::tools::conformance
