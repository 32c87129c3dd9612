// Decides how a run goes on: which case a process gets next, what its end means for the case, when a case is tried again. Pure.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/conformance/results_file.h"

namespace nnvk::tools::conformance {

// The work that a process does at one time.
struct Task {
  enum class Kind { kJudge, kExplain };  // kExplain: describe why the case failed

  Kind kind = Kind::kJudge;
  size_t index = 0;  // of the case

  bool operator==(const Task&) const = default;
};

// How a process ended that the run did not end itself.
struct ProcessEnd {
  int exit_code = 0;  // if no signal ended it
  int signal = 0;     // if a signal ended it

  bool operator==(const ProcessEnd&) const = default;
};

// Writes the end as text: "signal 11 (Segmentation fault)", "exit code 3".
std::string to_text(const ProcessEnd& end);
// Returns whether somebody else ended the process, such as a user or the kernel that needs memory. The case is then not the
// cause.
bool came_from_outside(const ProcessEnd& end);

// The final result of a case.
struct Settled {
  size_t index = 0;
  Outcome outcome;  // as in Record
  double seconds = 0;
  int attempts = 1;
};

// Returns the cases in an order whose every beginning is spread evenly over `cases`. A run that ends early has then tried some of
// every family.
std::vector<size_t> spread(const std::vector<size_t>& cases);

class CaseQueue {
 public:
  // After so many cases in a row that ended their process, the device seems to be broken.
  static constexpr int kMostInARow = 50;
  // After so many processes that somebody killed during one case, the case counts as crashed: it may need too much memory.
  static constexpr int kMostKills = 3;

  // `cases`: indices. A failed case is tried again up to `retries` times, after all others.
  CaseQueue(const std::vector<size_t>& cases, int retries);

  // Takes the next task for a process; returns nothing if there is none now.
  std::optional<Task> take();
  // Puts a task back, so that another process gets it. Call it if the process ended before it began this task.
  void give_back(Task task);

  // Notes the result of an attempt at a case. Returns the final result; nothing if the case will be tried again.
  std::optional<Settled> settle(size_t index, Outcome outcome, double seconds);
  // Notes that the process ended by itself while it ran the case. Returns the final result; nothing if the case will be tried
  // again.
  std::optional<Settled> process_ended(size_t index, const ProcessEnd& end, double seconds);

  // Adds a task that explains a failure. explained() follows when it is done, or when its process ended.
  void explain(size_t index);
  void explained() { --explanations_; }

  // Returns how many tasks wait in the queue. The tasks that processes have taken are not among them.
  size_t waiting() const { return tasks_.size(); }
  size_t settled() const { return settled_; }
  size_t total() const { return total_; }
  // Returns true if nothing is left to do.
  bool is_done() const { return settled_ == total_ && explanations_ == 0; }
  // Returns true if the run should stop, because the device does not seem to recover.
  bool looks_broken() const { return in_a_row_ >= kMostInARow; }

 private:
  struct Attempts {
    int failed = 0;
    int kills = 0;
    std::string last_failure;  // "wrong result: output 0 ..."
  };

  std::deque<Task> tasks_;
  std::map<size_t, Attempts> attempts_;  // of cases that failed or were killed
  int retries_;
  size_t total_;
  size_t settled_ = 0;
  size_t explanations_ = 0;
  int in_a_row_ = 0;
};

// Returns the earlier records that a continued run takes over: the last one of each of these cases, by its name, if the subject
// is the same. Cases that crashed, hung or lost the device are not among them, because they run again.
std::map<std::string, Record> taken_over(const std::vector<Section>& earlier, const Subject& subject);

// The facts that decide the exit code.
struct RunFacts {
  size_t expected = 0;        // cases of all variants
  size_t settled = 0;         // of them
  size_t failures = 0;        // that are not waived; with a baseline only the new ones
  size_t unwritten = 0;       // lines that the results file lacks
  size_t bad_ends = 0;        // of processes that crashed after their last case
  size_t skipped = 0;         // cases
  int64_t most_skipped = -1;  // allowed; negative: any number
};

enum class Judgement { kConformant, kFailed, kIncomplete };

// Judges a run. A run with missing results is kIncomplete even if cases failed, because it proves nothing. A complete run with
// failures is kFailed. One without failures is kIncomplete if too many cases were skipped.
Judgement judge_run(const RunFacts& facts);

}  // namespace nnvk::tools::conformance
