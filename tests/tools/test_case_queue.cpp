// The decisions of a conformance run: the next case, the meaning of a process's end, continued runs, exit codes, baselines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <numeric>

#include "tools/conformance/baseline.h"
#include "tools/conformance/case_queue.h"
#include "tools/conformance/messages.h"

namespace nnvk::tools::conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Task kFirst{Task::Kind::kJudge, 7};
constexpr Task kSecond{Task::Kind::kJudge, 8};

Outcome failure(FailureKind kind = FailureKind::kWrongResult, const std::string& message = "1 instead of 2") {
  return {Verdict::kFailed, message, kind};
}

TEST(CaseQueue, HandsOutEachCaseOnceAndAgainIfItsProcessNeverBeganIt) {
  CaseQueue queue({7, 8}, 0);
  EXPECT_EQ(queue.take(), kFirst);
  EXPECT_EQ(queue.take(), kSecond);
  EXPECT_EQ(queue.take(), std::nullopt);
  queue.give_back(kSecond);
  EXPECT_EQ(queue.take(), kSecond);
  EXPECT_TRUE(queue.settle(7, {}, 0.5));
  EXPECT_FALSE(queue.is_done());
  EXPECT_TRUE(queue.settle(8, {}, 0.5));
  EXPECT_TRUE(queue.is_done());
  EXPECT_EQ(queue.settled(), 2u);
}

TEST(CaseQueue, TriesAFailedCaseAgainAfterAllOthers) {
  CaseQueue queue({7, 8}, 2);
  EXPECT_EQ(queue.take(), kFirst);
  EXPECT_FALSE(queue.settle(7, failure(), 0.5));
  EXPECT_EQ(queue.take(), kSecond);
  EXPECT_TRUE(queue.settle(8, {}, 0));
  EXPECT_EQ(queue.take(), kFirst);
  const auto passed = queue.settle(7, {}, 0.25);
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->outcome.verdict, Verdict::kPassed);
  EXPECT_EQ(passed->outcome.message, "wrong result: 1 instead of 2");
  EXPECT_EQ(passed->attempts, 2);
  EXPECT_EQ(passed->seconds, 0.25);
  EXPECT_TRUE(queue.is_done());
}

TEST(CaseQueue, AFailureIsFinalAfterTheLastRetry) {
  CaseQueue queue({7}, 1);
  EXPECT_FALSE(queue.settle(7, failure(), 0));
  const auto failed = queue.settle(7, failure(FailureKind::kCrashed, "the last one"), 0);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->outcome.message, "the last one");
  EXPECT_EQ(failed->attempts, 2);
}

TEST(CaseQueue, ACrashFailsItsCase) {
  CaseQueue queue({7}, 0);
  const auto crashed = queue.process_ended(7, {.signal = SIGSEGV}, 0.5);
  ASSERT_TRUE(crashed);
  EXPECT_EQ(crashed->outcome.kind, FailureKind::kCrashed);
  EXPECT_THAT(crashed->outcome.message, HasSubstr("signal 11"));
  const auto left = CaseQueue({7}, 0).process_ended(7, {.exit_code = 3}, 0);
  ASSERT_TRUE(left);
  EXPECT_THAT(left->outcome.message, HasSubstr("exit code 3"));
}

TEST(CaseQueue, ACaseWhoseProcessSomebodyKilledRunsAgainUntilItIsKilledTooOften) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP}) {
    CaseQueue queue({7, 8}, 0);
    EXPECT_EQ(queue.take(), kFirst);
    for (int kill = 1; kill < CaseQueue::kMostKills; ++kill) {
      EXPECT_FALSE(queue.process_ended(7, {.signal = signal}, 0));
      EXPECT_EQ(queue.take(), kFirst);
    }
    const auto killed = queue.process_ended(7, {.signal = signal}, 0);
    ASSERT_TRUE(killed);
    EXPECT_EQ(killed->outcome.kind, FailureKind::kCrashed);
  }
}

TEST(CaseQueue, GivesADeviceUpThatEndsEveryProcess) {
  constexpr auto kMost = static_cast<size_t>(CaseQueue::kMostInARow);
  std::vector<size_t> cases(2 * kMost);
  CaseQueue queue(cases, 0);
  for (size_t i = 1; i < kMost; ++i) queue.settle(i, failure(FailureKind::kTimedOut), 0);
  EXPECT_FALSE(queue.looks_broken());
  queue.settle(0, failure(), 0);  // a wrong result: the device works
  for (size_t i = 1; i < kMost; ++i) queue.settle(kMost + i, failure(FailureKind::kDeviceLost), 0);
  EXPECT_FALSE(queue.looks_broken());
  queue.settle(kMost, failure(FailureKind::kCrashed), 0);
  EXPECT_TRUE(queue.looks_broken());
}

TEST(CaseQueue, ExplanationsComeFirstAndBelongToTheRun) {
  CaseQueue queue({7, 8}, 0);
  queue.take();
  queue.settle(7, failure(), 0);
  queue.explain(7);
  EXPECT_EQ(queue.take(), (Task{Task::Kind::kExplain, 7}));
  queue.take();
  queue.settle(8, {}, 0);
  EXPECT_FALSE(queue.is_done());
  queue.explained();
  EXPECT_TRUE(queue.is_done());
}

const Subject kGpu{"gpu", "driver 1", "words", "seed 1"};

Record record(const std::string& name, const Outcome& outcome = {}) { return {name, "pooling", "gpu", "words", outcome, 0.5}; }

TEST(ContinuedRuns, TakeOverTheLastRecordOfTheSameSubject) {
  Subject other = kGpu;
  other.driver = "driver 2";
  const std::vector<Section> earlier{
      {{kGpu}, {record("a", failure()), record("b")}}, {{other}, {record("a", failure()), record("c")}}, {{kGpu}, {record("a")}}};
  const auto taken = taken_over(earlier, kGpu);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken.at("a").outcome.verdict, Verdict::kPassed);
  for (const auto member : {&Subject::device, &Subject::driver, &Subject::variant, &Subject::settings}) {
    Subject different = kGpu;
    different.*member = "different";
    EXPECT_TRUE(taken_over(earlier, different).empty());
  }
}

TEST(ContinuedRuns, RunCasesAgainThatEndedTheirProcess) {
  const std::vector<Section> earlier{
      {{kGpu},
       {record("crashed", failure(FailureKind::kCrashed)), record("hung", failure(FailureKind::kTimedOut)),
        record("lost", failure(FailureKind::kDeviceLost)), record("wrong", failure())}}};
  const auto taken = taken_over(earlier, kGpu);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_TRUE(taken.contains("wrong"));
}

TEST(ExitCodes, PutAnIncompleteRunBeforeFailuresAndThoseBeforeSkippedCases) {
  const RunFacts complete{.expected = 3, .settled = 3};
  const auto with = [&](auto change) {
    RunFacts facts = complete;
    change(facts);
    return judge_run(facts);
  };
  EXPECT_EQ(judge_run(complete), Judgement::kConformant);
  EXPECT_EQ(with([](RunFacts& f) { f.failures = 1; }), Judgement::kFailed);
  EXPECT_EQ(with([](RunFacts& f) { f.bad_ends = 1; }), Judgement::kFailed);
  EXPECT_EQ(with([](RunFacts& f) { f.unwritten = 1; }), Judgement::kIncomplete);
  EXPECT_EQ(with([](RunFacts& f) { f.settled = 2, f.failures = 1; }), Judgement::kIncomplete);
  EXPECT_EQ(with([](RunFacts& f) { f.skipped = 2; }), Judgement::kConformant);
  EXPECT_EQ(with([](RunFacts& f) { f.skipped = 2, f.most_skipped = 2; }), Judgement::kConformant);
  EXPECT_EQ(with([](RunFacts& f) { f.skipped = 2, f.most_skipped = 1; }), Judgement::kIncomplete);
  EXPECT_EQ(with([](RunFacts& f) { f.skipped = 2, f.most_skipped = 1, f.failures = 1; }), Judgement::kFailed);
}

std::vector<std::string> names(const std::vector<const Record*>& records) {
  std::vector<std::string> names;
  for (const auto* const one : records) names.push_back(one->name);
  return names;
}

TEST(Baseline, TellsNewFailuresFromOldOnes) {
  const Outcome skipped{Verdict::kSkipped, "NotSupported: ADD"};
  const std::vector<Record> baseline{record("fixed", failure()), record("old", failure()), record("broken"), record("gone"),
                                     record("waived")};
  const std::vector<Record> now{
      record("fixed"),          record("old", failure()), record("broken", failure()), record("gone", skipped),
      record("new", failure()), record("never", skipped), record("waived", failure())};
  const auto comparison = compare(now, baseline, {{"waived", "", "", "driver", "2030-01-01"}});
  EXPECT_THAT(names(comparison.new_failures), ElementsAre("broken", "gone", "new"));
  EXPECT_THAT(names(comparison.fixed), ElementsAre("fixed"));
  EXPECT_THAT(names(comparison.unchanged), ElementsAre("old"));
  EXPECT_EQ(comparison.in_both, 5u);
  EXPECT_EQ(comparison.only_now, 2u);
}

TEST(Baseline, ComparesTheTimesOfCasesThatPassedInBoth) {
  const auto timed = [](const std::string& name, double seconds, const Outcome& outcome = {}) {
    Record one = record(name, outcome);
    one.seconds = seconds;
    return one;
  };
  const std::vector<Record> before{timed("much", 0.1), timed("more", 0.1), timed("little", 0.001), timed("faster", 1),
                                   timed("failed", 0.1, failure())};
  const std::vector<Record> now{timed("much", 0.3), timed("more", 0.5), timed("little", 0.01), timed("faster", 0.1),
                                timed("failed", 9)};
  const auto comparison = compare(now, before, {});
  ASSERT_EQ(comparison.slower.size(), 2u) << "ten times nearly nothing is not slower";
  EXPECT_EQ(comparison.slower[0].now->name, "more") << "the worst first";
  EXPECT_EQ(comparison.slower[1].before->seconds, 0.1);
  ASSERT_EQ(comparison.families.size(), 1u);
  EXPECT_EQ(comparison.families[0].cases, 4u);
  EXPECT_DOUBLE_EQ(comparison.families[0].before, 1.201);
}

TEST(Baseline, TakesTheLastRecordOfACaseOfADevice) {
  Record other = record("a", failure());
  other.device = "other";
  const std::vector<Section> sections{{{kGpu}, {record("a", failure()), record("b")}}, {{kGpu}, {record("a")}}, {{}, {other}}};
  const auto of_gpu = last_records(sections, "gpu");
  ASSERT_EQ(of_gpu.size(), 2u);
  EXPECT_EQ(of_gpu[0].outcome.verdict, Verdict::kPassed);
  EXPECT_EQ(last_records(sections, "").front().device, "other");
}

TEST(Baseline, NamesTheFactsInWhichTwoRunsDiffer) {
  Provenance before{.subject = kGpu, .properties = {{"limits", "subgroupSize", "8"}}, .nnvk = "0.1.0", .commit = "a", .seed = 1};
  Provenance now = before;
  now.started = "2026-11-28T10:00:00Z";
  now.seconds = 5;
  EXPECT_TRUE(differences({before}, {now}).empty()) << "times are no facts to compare";
  now.properties = {{"limits", "subgroupSize", "32"}, {"limits", "maxPushConstantsSize", "128"}};
  now.commit = "b";
  const auto found = differences({before}, {now});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].before.value, "") << "the first run lacks the limit";
  EXPECT_EQ(found[1].now, (Property{"limits", "subgroupSize", "32"}));
  EXPECT_EQ(found[2].now.value, "0.1.0 (commit b)");
  Provenance before_texel = before;
  Provenance now_texel = now;
  before_texel.subject.variant = now_texel.subject.variant = "texel";
  const auto in_both = differences({before, before_texel}, {now, now_texel});
  ASSERT_EQ(in_both.size(), 3u) << "the same difference of two variants is listed once";
  EXPECT_EQ(in_both[0].variant, "words, texel");
  now.subject.variant = "texel";
  EXPECT_TRUE(differences({before}, {now}).empty()) << "variants are compared with themselves";
}

TEST(Baseline, NeedsResultsOfTheSameDeviceAndVariantAndNamesAnotherDriver) {
  const std::vector<Section> baseline{{{kGpu}, {record("a")}}};
  EXPECT_TRUE(check_comparable(baseline, kGpu));
  EXPECT_EQ(other_driver(baseline, kGpu), "");
  Subject other = kGpu;
  other.driver = "driver 2";
  EXPECT_TRUE(check_comparable(baseline, other));
  EXPECT_EQ(other_driver(baseline, other), "driver 1");
  other.variant = "texel";
  const auto status = check_comparable(baseline, other);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("it has: gpu (words)"));
}

TEST(Messages, ArriveAsTheyWereSent) {
  const Task task{Task::Kind::kExplain, 12};
  std::string line;
  LineReader lines;
  lines.add(to_line(task));
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(*parse_task(line), task);
  const std::vector<Message> messages{
      {.kind = Message::Kind::kReady, .device = {kGpu, {{"limits", "subgroupSize", "8"}}}},
      {.kind = Message::Kind::kRefused, .text = "no device", .code = 3},
      {.kind = Message::Kind::kStarted, .index = 4},
      {.kind = Message::Kind::kEnded, .index = 4, .outcome = failure(FailureKind::kDeviceLost, "two\nlines"), .seconds = 1.5},
      {.kind = Message::Kind::kExplained, .index = 4, .text = "%1 = ADD"}};
  for (const auto& sent : messages) {
    const auto text = to_line(sent);
    lines.add(text.substr(0, 3));
    EXPECT_FALSE(lines.next(line)) << "its end is missing";
    lines.add(text.substr(3));
    ASSERT_TRUE(lines.next(line));
    const auto came = parse_message(line);
    ASSERT_TRUE(came) << came.error().message;
    EXPECT_EQ(came->kind, sent.kind);
    EXPECT_EQ(came->index, sent.index);
    EXPECT_EQ(came->device, sent.device);
    EXPECT_EQ(came->outcome.kind, sent.outcome.kind);
    EXPECT_EQ(came->outcome.message, sent.outcome.message);
    EXPECT_EQ(came->outcome.verdict, sent.outcome.verdict);
    EXPECT_EQ(came->seconds, sent.seconds);
    EXPECT_EQ(came->text, sent.text);
    EXPECT_EQ(came->code, sent.code);
  }
  for (const auto* wrong : {"", "{}", "[9]", "[3,1]", "[0,1,2,3,4]"}) EXPECT_FALSE(parse_message(wrong)) << wrong;
  EXPECT_FALSE(parse_task("[1]"));
}

TEST(Spread, EveryBeginningReachesTheWholeList) {
  std::vector<size_t> cases(1000);
  std::iota(cases.begin(), cases.end(), 5);
  const std::vector<size_t> order = spread(cases);
  for (const size_t count : {8, 64, 500}) {
    std::vector<size_t> beginning(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    std::ranges::sort(beginning);
    size_t largest_gap = beginning.front() - 5;
    for (size_t i = 1; i < count; ++i) largest_gap = std::max(largest_gap, beginning[i] - beginning[i - 1]);
    EXPECT_LE(std::max(largest_gap, 1004 - beginning.back()), 3 * cases.size() / count) << count;
  }
  std::vector<size_t> all = order;
  std::ranges::sort(all);
  EXPECT_EQ(all, cases);
  EXPECT_TRUE(spread({}).empty());
  EXPECT_EQ(spread({7}), std::vector<size_t>{7});
}

}  // namespace
}  // namespace nnvk::tools::conformance
