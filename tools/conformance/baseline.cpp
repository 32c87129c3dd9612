// The comparison, case by case.
#include "tools/conformance/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace nnvk::tools::conformance {
namespace {

bool is_of(const Record& record, const Subject& subject) {
  return record.device == subject.device && record.variant == subject.variant;
}

// A case in a variant.
using Key = std::pair<std::string_view, std::string_view>;
Key key_of(const Record& record) { return {record.variant, record.name}; }

bool is_slower(const Pair& pair) {
  const double added = pair.now->seconds - pair.before->seconds;
  return added >= kSlowerSeconds && pair.now->seconds >= kSlowerFactor * pair.before->seconds;
}

class Comparing {
 public:
  explicit Comparing(const std::vector<Waiver>& waivers) : waivers_(waivers) {}

  void add(const Record& now, const Record* before) {
    ++(before == nullptr ? result_.only_now : result_.in_both);
    const bool failed_before = before != nullptr && before->outcome.verdict == Verdict::kFailed;
    const bool passed_before = before != nullptr && before->outcome.verdict == Verdict::kPassed;
    switch (now.outcome.verdict) {
      case Verdict::kFailed:
        if (covering(waivers_, now) == nullptr) (failed_before ? result_.unchanged : result_.new_failures).push_back(&now);
        break;
      case Verdict::kPassed:
        if (failed_before) result_.fixed.push_back(&now);
        if (passed_before) take_times({before, &now});
        break;
      case Verdict::kSkipped:
        if (passed_before) result_.new_failures.push_back(&now);
    }
  }

  Comparison end(size_t cases_before) {
    result_.only_before = cases_before - result_.in_both;
    for (auto& [key, times] : times_) result_.families.push_back(std::move(times));
    std::ranges::stable_sort(result_.slower, std::ranges::greater(),
                             [](const Pair& pair) { return pair.now->seconds - pair.before->seconds; });
    return std::move(result_);
  }

 private:
  void take_times(const Pair& pair) {
    if (is_slower(pair)) result_.slower.push_back(pair);
    FamilyTimes& times = times_[{pair.now->family, pair.now->variant}];
    times.family = pair.now->family;
    times.variant = pair.now->variant;
    ++times.cases;
    times.before += pair.before->seconds;
    times.now += pair.now->seconds;
  }

  const std::vector<Waiver>& waivers_;
  Comparison result_;
  std::map<std::pair<std::string, std::string>, FamilyTimes> times_;
};

// Values by group and name.
using Facts = std::map<std::pair<std::string, std::string>, std::string>;

// Returns the facts that may differ. Limits and features can have the same name several times: their values are one text then.
Facts comparable_facts(const Provenance& provenance) {
  static const std::set<std::string> kLeftOut{"started", "duration", "command line", "environment", "vectors"};
  Facts values;
  for (const auto& [group, name, value] : facts(provenance)) {
    if (group == "run" && kLeftOut.contains(name)) continue;
    auto& text = values[{group, name}];
    text += (text.empty() ? "" : ", ") + value;
  }
  return values;
}

// Adds a difference to the list, or its variant to the same difference of another variant.
void note(Difference difference, std::vector<Difference>& list) {
  const auto same = std::ranges::find_if(
      list, [&](const Difference& other) { return other.before == difference.before && other.now == difference.now; });
  if (same == list.end()) {
    list.push_back(std::move(difference));
  } else {
    same->variant += ", " + difference.variant;
  }
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

std::vector<Record> last_records(const std::vector<Section>& sections, const std::string& device) {
  std::map<Key, const Record*> last;
  for (const auto& section : sections) {
    for (const auto& record : section.records) {
      if (device.empty() || record.device == device) last[key_of(record)] = &record;
    }
  }
  std::vector<Record> records;
  records.reserve(last.size());
  for (const auto& [key, record] : last) records.push_back(*record);
  return records;
}

Comparison compare(const std::vector<Record>& now, const std::vector<Record>& before, const std::vector<Waiver>& waivers) {
  std::map<Key, const Record*> earlier;
  for (const auto& record : before) earlier[key_of(record)] = &record;
  Comparing comparing(waivers);
  for (const auto& record : now) {
    const auto found = earlier.find(key_of(record));
    comparing.add(record, found == earlier.end() ? nullptr : found->second);
  }
  return comparing.end(earlier.size());
}

std::string other_driver(const std::vector<Section>& baseline, const Subject& subject) {
  std::string last = subject.driver;
  for (const auto& section : baseline) {
    const Subject& other = section.provenance.subject;
    if (other.device == subject.device && other.variant == subject.variant) last = other.driver;
  }
  return last == subject.driver ? "" : last;
}

std::vector<Provenance> last_provenances(const std::vector<Section>& sections) {
  std::vector<Provenance> list;
  for (const auto& section : sections) {
    const auto& variant = section.provenance.subject.variant;
    const auto found = std::ranges::find_if(list, [&](const Provenance& p) { return p.subject.variant == variant; });
    if (found == list.end()) {
      list.push_back(section.provenance);
    } else {
      *found = section.provenance;
    }
  }
  return list;
}

std::vector<Difference> differences(const std::vector<Provenance>& before, const std::vector<Provenance>& now) {
  std::vector<Difference> list;
  for (const auto& later : now) {
    const auto& variant = later.subject.variant;
    const Provenance* const earlier = provenance_of(before, variant);
    if (earlier == nullptr) continue;
    const auto old_facts = comparable_facts(*earlier);
    const auto new_facts = comparable_facts(later);
    auto all = old_facts;
    all.insert(new_facts.begin(), new_facts.end());
    for (const auto& fact : all) {
      const auto of = [&](const Facts& facts) {
        const auto found_fact = facts.find(fact.first);
        return Property{fact.first.first, fact.first.second, found_fact == facts.end() ? "" : found_fact->second};
      };
      if (const auto was = of(old_facts), is = of(new_facts); was != is) note({variant, was, is}, list);
    }
  }
  return list;
}

}  // namespace nnvk::tools::conformance
