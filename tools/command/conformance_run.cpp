// The loop over the processes of one variant. CaseQueue makes the decisions, and this file carries them out.
#include "tools/command/conformance_run.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <list>
#include <map>
#include <optional>

#include "tools/command/child_process.h"
#include "tools/command/conformance_provenance.h"
#include "tools/command/conformance_worker.h"
#include "tools/command/progress.h"
#include "tools/command/stop_signals.h"
#include "tools/conformance/messages.h"
#include "tools/conformance/patience.h"

namespace nnvk::tools {
namespace {

using namespace std::chrono_literals;
using conformance::CaseEntry;
using conformance::CaseQueue;
using conformance::FailureKind;
using conformance::Message;
using conformance::Provenance;
using conformance::Record;
using conformance::Settled;
using conformance::Task;
using conformance::Verdict;
using std::chrono::milliseconds;

constexpr size_t kAhead = 2;                // tasks that a process has, so that it need not wait for the next one
constexpr int kMostFruitless = 3;           // processes in a row that ended without a result
constexpr milliseconds kOpening = 60s;      // patience with a device that is opened
constexpr milliseconds kEnding = 10s;       // patience with the library's end
constexpr milliseconds kObserving = 200ms;  // how often the work of a process is looked at
constexpr int kExplaining = 20;             // explanations compute many parts of a model: so many times a case's limit

// A child process with its tasks.
struct Worker {
  enum class Phase { kOpening, kServing, kFinishing, kKilled };

  explicit Worker(ChildProcess started) : process(std::move(started)) {}

  ChildProcess process;
  Phase phase = Phase::kOpening;
  bool is_open = true;   // its channel
  bool is_gone = false;  // its end was seen, and its tasks are settled or given back
  conformance::LineReader lines{};
  std::deque<Task> tasks{};
  bool has_started = false;          // with the first task
  milliseconds age{};                // of the phase
  milliseconds unobserved{};         // time of the first task that `patience` does not have yet
  conformance::Patience patience{};  // with the first task
};

class VariantRun {
 public:
  using Clock = std::chrono::steady_clock;

  VariantRun(const ConformanceJob& job, const Environment& environment, std::optional<Clock::time_point> deadline)
      : job_(job), environment_(environment), deadline_(deadline), device_(job.options.device), records_(job.entries.size()) {}

  VariantEnd run() {
    for (auto last = Clock::now();;) {
      if (const int signal = StopSignals::received()) stop(fmt::format("SIG{} arrived", sigabbrev_np(signal)));
      if (deadline_ && Clock::now() >= *deadline_ && !is_over()) {
        end_.ran_out_of_time = true;
        stop("the time is over (--time-limit)");
      }
      if (is_over()) {
        for (auto& worker : workers_) finish(worker);
        if (workers_.empty()) break;
      } else {
        hand_out();
        start_missing();
      }
      wait_for_news();
      const auto now = Clock::now();
      // While somebody had stopped this process (Ctrl+Z), the cases had no time either.
      const auto passed = std::min(std::chrono::duration_cast<milliseconds>(now - last), milliseconds(1000));
      last = now;
      for (auto& worker : workers_) look_at(worker, passed);
      std::erase_if(workers_, [](const Worker& worker) { return worker.is_gone; });
      show_progress();
    }
    progress_.reset();
    end_.provenance.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (queue_) write_down(job_.results.end(end_.provenance.seconds));
    for (const auto& [index, line] : unexplained_) print(line);
    explain_crashes();
    for (auto& record : records_) {
      if (record) end_.records.push_back(std::move(*record));
    }
    return std::move(end_);
  }

 private:
  bool is_over() const { return end_.refused != 0 || !end_.stopped.empty() || (queue_ && queue_->is_done()); }
  milliseconds case_limit() const { return job_.options.case_timeout * 1s * job_.options.run.repeat; }

  // --- Processes
  // -------------------------------------------------------------------------------------------------------------------

  void start_missing() {
    const auto living = std::ranges::count_if(workers_, [](const Worker& w) { return w.phase <= Worker::Phase::kServing; });
    // The first process tells what the device is. Others follow if there is work for them.
    const bool has_work = queue_ ? queue_->waiting() > 0 : true;
    const auto wanted = queue_ ? job_.options.jobs : 1;
    if (!has_work || living >= wanted || Clock::now() < next_start_) return;
    auto started = ChildProcess::start(environment_, [&](int channel) {
      job_.results.close();
      for (auto& other : workers_) other.process.close_channel();
      return run_tasks(channel, job_.options, job_.entries, device_);
    });
    if (!started) return stop(started.error().message);
    workers_.emplace_back(*std::move(started));
  }

  void finish(Worker& worker) {
    if (worker.phase == Worker::Phase::kOpening) kill(worker);
    if (worker.phase != Worker::Phase::kServing) return;
    worker.process.finish_sending();
    worker.phase = Worker::Phase::kFinishing;
    worker.age = {};
  }

  void kill(Worker& worker) {
    worker.process.kill();
    worker.phase = Worker::Phase::kKilled;
    worker.age = {};
  }

  // Ends a process whose first task, if it had begun one, is settled. Other processes get the tasks that it has left.
  void retire(Worker& worker) {
    kill(worker);
    for (; !worker.tasks.empty(); worker.tasks.pop_back()) queue_->give_back(worker.tasks.back());
  }

  void stop(std::string reason) {
    if (end_.stopped.empty()) end_.stopped = std::move(reason);
    for (auto& worker : workers_) {
      if (worker.phase != Worker::Phase::kKilled) kill(worker);
    }
  }

  void hand_out() {
    if (!queue_) return;
    for (size_t most = 1; most <= kAhead; ++most) {
      for (auto& worker : workers_) {
        if (worker.phase != Worker::Phase::kServing || worker.tasks.size() >= most) continue;
        // Near the end a process with nothing to do should get the task.
        if (most > 1 && queue_->waiting() <= static_cast<size_t>(job_.options.jobs)) continue;
        const auto task = queue_->take();
        if (!task) return;
        if (worker.tasks.empty()) begin_task(worker);
        worker.tasks.push_back(*task);
        worker.process.send(conformance::to_line(*task));
      }
    }
  }

  void wait_for_news() {
    std::vector<pollfd> channels;
    bool is_one_leaving = false;
    for (const auto& worker : workers_) {
      if (worker.is_open) channels.push_back({worker.process.channel(), POLLIN, 0});
      is_one_leaving |= !worker.is_open;
    }
    // Channels end a moment before their processes, and signals arrive at any time.
    ::poll(channels.data(), channels.size(), is_one_leaving ? 2 : 100);
  }

  // --- News of one process
  // -----------------------------------------------------------------------------------------------------------

  void look_at(Worker& worker, milliseconds passed) {
    worker.age += passed;
    worker.unobserved += passed;
    const auto end = worker.process.ended();  // before the last messages are read
    if (worker.is_open) {
      std::string bytes;
      worker.is_open = worker.process.receive(bytes);
      worker.lines.add(bytes);
    }
    std::string line;
    while (worker.phase != Worker::Phase::kKilled && worker.lines.next(line)) {
      const auto message = conformance::parse_message(line);
      if (message) heed(worker, *message);
    }
    if (end) {
      has_ended(worker, *end);
      worker.is_gone = true;
    } else {
      watch_time(worker);
    }
  }

  void heed(Worker& worker, const Message& message) {
    switch (message.kind) {
      case Message::Kind::kReady:
        return is_ready(worker, message.device);
      case Message::Kind::kRefused:
        kill(worker);
        return queue_ ? is_fruitless(message.text) : refuse(message.text, message.code);
      case Message::Kind::kStarted:
        worker.has_started = true;
        begin_task(worker);
        return;
      case Message::Kind::kEnded:
        end_task(worker);
        take(queue_->settle(message.index, message.outcome, message.seconds));
        if (message.outcome.kind == FailureKind::kDeviceLost) retire(worker);
        return;
      case Message::Kind::kExplained:
        end_task(worker);
        return is_explained(message.index, message.text + "\n");
    }
  }

  void end_task(Worker& worker) {
    worker.tasks.pop_front();
    worker.has_started = false;
    begin_task(worker);
    fruitless_ = 0;
  }

  static void begin_task(Worker& worker) {
    worker.patience.restart();
    worker.unobserved = {};
  }

  static void observe(Worker& worker) {
    worker.patience.pass(worker.unobserved, worker.process.busy_time());
    worker.unobserved = {};
  }

  static double seconds_of_task(const Worker& worker) {
    return std::chrono::duration<double>(worker.patience.age() + worker.unobserved).count();
  }

  void is_ready(Worker& worker, const Provenance& device) {
    worker.phase = Worker::Phase::kServing;
    worker.age = {};
    if (!queue_) return begin(device);
    if (device.subject == end_.provenance.subject) return;
    kill(worker);
    is_fruitless(fmt::format("the device is now {}, {}", device.subject.device, device.subject.driver));
  }

  // Decides which cases are left. The first process has reported what it runs on.
  void begin(const Provenance& device) {
    const auto& subject = device.subject;
    end_.provenance = job_.provenance;
    begin_provenance(end_.provenance, job_.options, device);
    device_ = subject.device;
    if (!job_.options.baseline.empty()) {
      if (const auto comparable = conformance::check_comparable(job_.baseline, subject); !comparable) {
        return refuse(comparable.error().message, kFailure);
      }
    }
    const auto taken = conformance::taken_over(job_.results.earlier(), subject);
    std::vector<size_t> left;
    for (size_t i = 0; i < job_.entries.size(); ++i) {
      const auto found = taken.find(job_.entries[i].dotted);
      if (found == taken.end()) {
        left.push_back(i);
        continue;
      }
      records_[i] = found->second;
      if (found->second.outcome.verdict == Verdict::kFailed) print(failure_line(found->second));
    }
    if (job_.options.resume) {
      report_note(fmt::format("{} has results of {} of these cases; {} are left", job_.options.results,
                              job_.entries.size() - left.size(), left.size()));
    }
    progress_.emplace(subject.variant.empty() ? "conformance" : "conformance " + subject.variant, left.size(), Beat::kUpdates);
    queue_.emplace(deadline_ ? conformance::spread(left) : left, job_.options.retry);
    write_down(job_.results.begin(end_.provenance));
  }

  void has_ended(Worker& worker, const ChildEnd& end) {
    switch (worker.phase) {
      case Worker::Phase::kKilled:
        return;
      case Worker::Phase::kFinishing:
        if (end != ChildEnd{}) has_ended_badly(conformance::to_text(end));
        return;
      case Worker::Phase::kOpening:
        is_fruitless(fmt::format("a process ended with {} while it opened the device", conformance::to_text(end)));
        break;
      case Worker::Phase::kServing:
        if (!worker.has_started) {
          is_fruitless(fmt::format("a process ended with {} between two cases", conformance::to_text(end)));
          if (!came_from_outside(end)) has_ended_badly(conformance::to_text(end));
          break;
        }
        const Task task = worker.tasks.front();
        worker.tasks.pop_front();
        if (task.kind == Task::Kind::kExplain) {
          is_explained(task.index, fmt::format("the process that explained it ended with {}\n", conformance::to_text(end)));
        } else {
          take(queue_->process_ended(task.index, end, seconds_of_task(worker)));
        }
    }
    retire(worker);
  }

  void watch_time(Worker& worker) {
    switch (worker.phase) {
      case Worker::Phase::kOpening:
        if (worker.age < std::max(kOpening, case_limit())) return;
        kill(worker);
        return is_fruitless(fmt::format("opening the device took more than {} s", worker.age / 1s));
      case Worker::Phase::kServing:
        return watch_task(worker);
      case Worker::Phase::kFinishing:
        if (worker.age < kEnding) return;
        kill(worker);
        return has_ended_badly(fmt::format("no end within {} s", kEnding / 1s));
      case Worker::Phase::kKilled:
        // A driver can keep even a killed process. It stays behind, because the run cannot end it.
        if (worker.age < kEnding) return;
        report_note("the driver keeps a process that was killed; it is left behind");
        worker.is_gone = true;
    }
  }

  void watch_task(Worker& worker) {
    if (worker.tasks.empty()) return;
    const Task task = worker.tasks.front();
    const auto limit = case_limit() * (task.kind == Task::Kind::kExplain ? kExplaining : 1);
    if (worker.unobserved < kObserving) return;
    observe(worker);
    if (!worker.patience.is_over(limit)) return;
    worker.tasks.pop_front();
    if (task.kind == Task::Kind::kExplain) {
      is_explained(task.index, fmt::format("no explanation within {} s\n", limit / 1s));
    } else {
      const auto most = worker.patience.waited() >= limit ? limit : limit * conformance::Patience::kMostLimits;
      auto message = fmt::format("no result within {} s, so that its process was ended (--case-timeout)", most / 1s);
      take(queue_->settle(task.index, {Verdict::kFailed, std::move(message), FailureKind::kTimedOut}, seconds_of_task(worker)));
    }
    retire(worker);
  }

  // --- Results
  // -----------------------------------------------------------------------------------------------------------------------

  void refuse(const std::string& reason, int code) { end_.refused = report_error({reason}, code); }

  // Notes that a process brought no result. One or two may do so while a lost device recovers.
  void is_fruitless(const std::string& reason) {
    next_start_ = Clock::now() + ++fruitless_ * 1s;
    if (fruitless_ < kMostFruitless) return;
    stop(fmt::format("{}; {} processes in a row brought no result", reason, fruitless_));
  }

  void has_ended_badly(const std::string& how) {
    report_note(fmt::format("a process that ran cases ended badly when it ran none: {}", how));
    ++end_.bad_ends;
  }

  // Keeps a final result; without one the case is tried again.
  void take(const std::optional<Settled>& settled) {
    if (!settled) return;
    const CaseEntry& entry = job_.entries[settled->index];
    const auto& subject = end_.provenance.subject;
    Record& record = records_[settled->index].emplace(Record{entry.dotted, entry.family, subject.device, subject.variant,
                                                             settled->outcome, settled->seconds, settled->attempts, entry.type});
    write_down(job_.results.add(record));
    if (queue_->looks_broken()) stop(fmt::format("{} cases in a row ended their process", CaseQueue::kMostInARow));
    if (record.outcome.verdict != Verdict::kFailed) return;
    if (job_.options.json || !entry.explain || ends_process(record.outcome.kind)) return print(failure_line(record));
    unexplained_[settled->index] = failure_line(record);
    queue_->explain(settled->index);
  }

  void is_explained(size_t index, const std::string& text) {
    queue_->explained();
    print(unexplained_[index] + text);
    unexplained_.erase(index);
  }

  std::string failure_line(const Record& record) const {
    return fmt::format("{} {}{}: {}: {}\n", covering(job_.waivers, record) ? "WAIVED" : "FAILED", record.name,
                       record.variant.empty() ? "" : " (" + record.variant + ")", kind_name(record.outcome.kind),
                       record.outcome.message);
  }

  void print(const std::string& text) const {
    if (job_.options.json) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  void write_down(const Status& written) {
    if (written || has_complained_) return;
    has_complained_ = true;
    report_note(fmt::format("{}; the run goes on and tries again", written.error().message));
  }

  void show_progress() {
    if (!progress_) return;
    std::string running;
    for (const auto& worker : workers_) {
      if (worker.has_started && running.empty()) running = job_.entries[worker.tasks.front().index].dotted;
    }
    progress_->update(queue_->settled(), running);
  }

  // Prints a small part of each random graph that still crashes.
  void explain_crashes() {
    if (job_.options.json || is_stopped()) return;
    for (size_t i = 0; i < records_.size() && !is_stopped(); ++i) {
      if (records_[i] && records_[i]->outcome.kind == FailureKind::kCrashed) explain_crash(job_.entries[i]);
    }
  }

  bool is_stopped() const { return !end_.stopped.empty() || StopSignals::received() != 0; }

  // Leaves out outputs of the graph one by one, each attempt in a new process.
  void explain_crash(const CaseEntry& entry) {
    std::set<size_t> left_out;
    std::string text;
    for (size_t next = 0;; ++next) {
      std::set<size_t> tried = left_out;
      if (next > 0) tried.insert(next - 1);  // the whole graph first
      const auto answer = ask_child(
          environment_, [&](int channel) { return run_part(channel, entry, tried, device_); }, case_limit() * kExplaining,
          [this] { return is_stopped(); });
      if (!answer) return print(fmt::format("{}: {}\n", entry.dotted, answer.error().message));
      if (answer->end.signal == 0 && (answer->end.exit_code != kNoCrash || next == 0)) break;
      if (answer->end.signal == 0) continue;
      left_out = tried;
      text = answer->text;
    }
    if (!text.empty()) print(fmt::format("{}: {}\n", entry.dotted, text));
  }

  const ConformanceJob& job_;
  const Environment& environment_;
  const std::optional<Clock::time_point> deadline_;
  std::string device_;
  std::list<Worker> workers_;
  std::optional<CaseQueue> queue_;
  std::optional<Progress> progress_;
  std::vector<std::optional<Record>> records_;  // by case
  std::map<size_t, std::string> unexplained_;   // failures that are printed with their explanation
  VariantEnd end_;
  const Clock::time_point begin_ = Clock::now();
  int fruitless_ = 0;
  Clock::time_point next_start_{};
  bool has_complained_ = false;
};

}  // namespace

VariantEnd run_variant(const ConformanceJob& job, const std::vector<std::pair<std::string, std::string>>& environment,
                       std::optional<std::chrono::steady_clock::time_point> deadline) {
  return VariantRun(job, environment, deadline).run();
}

}  // namespace nnvk::tools
