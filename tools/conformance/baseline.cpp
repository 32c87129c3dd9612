// The comparison, case by case.
#include "tools/conformance/baseline.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

namespace nnvk::tools::conformance {
namespace {

bool is_of(const Record& record, const Subject& subject) {
  return record.device == subject.device && record.variant == subject.variant;
}

}  // namespace

Status check_comparable(const std::vector<Section>& baseline, const Subject& subject) {
  std::set<std::string> there;
  for (const auto& section : baseline) {
    for (const auto& record : section.records) {
      if (is_of(record, subject)) return {};
      there.insert(record.device + (record.variant.empty() ? "" : " (" + record.variant + ")"));
    }
  }
  std::string names;
  for (const auto& name : there) names += (names.empty() ? "" : ", ") + name;
  return fail(fmt::format("the baseline has no results of {}{}; it has: {}", subject.device,
                          subject.variant.empty() ? "" : " (" + subject.variant + ")", names.empty() ? "none" : names));
}

Comparison compare(const std::vector<Record>& records, const std::vector<Section>& baseline, const std::vector<Waiver>& waivers) {
  std::map<std::tuple<std::string, std::string, std::string>, const Record*> before;
  for (const auto& section : baseline) {
    for (const auto& record : section.records) before[{record.device, record.variant, record.name}] = &record;
  }
  Comparison comparison;
  for (const auto& record : records) {
    const auto found = before.find({record.device, record.variant, record.name});
    const Record* const earlier = found == before.end() ? nullptr : found->second;
    const bool failed_before = earlier != nullptr && earlier->outcome.verdict == Verdict::kFailed;
    const bool passed_before = earlier != nullptr && earlier->outcome.verdict == Verdict::kPassed;
    switch (record.outcome.verdict) {
      case Verdict::kFailed:
        if (covering(waivers, record) == nullptr) {
          (failed_before ? comparison.unchanged : comparison.new_failures).push_back(&record);
        }
        break;
      case Verdict::kPassed:
        if (failed_before) comparison.fixed.push_back(&record);
        break;
      case Verdict::kSkipped:
        if (passed_before) comparison.new_failures.push_back(&record);
    }
  }
  return comparison;
}

std::string other_driver(const std::vector<Section>& baseline, const Subject& subject) {
  std::string last = subject.driver;
  for (const auto& section : baseline) {
    if (section.subject.device == subject.device && section.subject.variant == subject.variant) last = section.subject.driver;
  }
  return last == subject.driver ? "" : last;
}

}  // namespace nnvk::tools::conformance
