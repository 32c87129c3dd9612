// New failures, fixed cases, slower ones, and the facts in which two runs differ.
#include "tools/conformance/page/comparison_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/conformance/page/sections.h"
#include "tools/markup/document.h"
#include "tools/markup/text.h"

namespace nnvk::tools::conformance {
namespace {

constexpr size_t kMostLines = 1000;  // of a list on the page
constexpr size_t kMostSlower = 50;   // single cases

std::string name_of(const Record& record) { return record.name + (record.variant.empty() ? "" : " (" + record.variant + ")"); }

std::string fact_of(const Difference& difference) {
  return fmt::format("{}{}: {}", difference.variant.empty() ? "" : difference.variant + ": ", difference.now.group,
                     difference.now.name);
}

// Returns true if a family is worth a line: its cases took a quarter longer or shorter, and more than a tenth of a second.
bool is_worth_a_line(const FamilyTimes& times) {
  const double larger = std::max(times.before, times.now);
  const double smaller = std::min(times.before, times.now);
  return larger - smaller > 0.1 && larger > 1.25 * smaller;
}

std::string counts(const Comparison& c) {
  return fmt::format(
      "{} new failures, {} fixed, {} unchanged failures, {} slower; {} cases in both, {} only in the first, {} only in the "
      "second",
      c.new_failures.size(), c.fixed.size(), c.unchanged.size(), c.slower.size(), c.in_both, c.only_before, c.only_now);
}

std::string record_section(const std::string& title, const char* tag, const std::vector<const Record*>& records) {
  if (records.empty()) return "";
  auto text =
      fmt::format("<section><h2>{} ({})</h2>", escaped(title), records.size()) + table_start("card scroll", "small wrapped", {});
  for (size_t i = 0; i < std::min(records.size(), kMostLines); ++i) {
    const Record& record = *records[i];
    const char* const kind = record.outcome.verdict == Verdict::kSkipped ? "skipped" : kind_name(record.outcome.kind);
    text += table_row({{fmt::format("<span class=\"tag {}\">{}</span>", tag, *kind == '\0' ? "passed" : kind)},
                       {"<code>" + escaped(name_of(record)) + "</code>"},
                       {escaped(clipped(record.outcome.message, 300))}});
  }
  text += kTableEnd;
  if (records.size() > kMostLines) text += fmt::format("<p>{} more are not shown here.</p>", records.size() - kMostLines);
  return text + "</section>";
}

std::string families_table(const std::vector<FamilyTimes>& families) {
  std::string rows;
  for (const auto& times : families) {
    if (!is_worth_a_line(times)) continue;
    rows += table_row({{escaped(times.family)},
                       {escaped(times.variant)},
                       {std::to_string(times.cases), "number"},
                       {fmt::format("{:.2f} s", times.before), "number"},
                       {fmt::format("{:.2f} s", times.now), "number"},
                       {fmt::format("{:.2f} x", times.now / std::max(times.before, 1e-9)),
                        times.now > times.before ? "number warn" : "number good"}});
  }
  if (rows.empty()) return "<p>No family takes a quarter longer or shorter than before.</p>";
  return table_start(
             "card scroll", "small",
             {{"family"}, {"variant"}, {"cases", "number"}, {"first", "number"}, {"second", "number"}, {"ratio", "number"}}) +
         rows + std::string(kTableEnd);
}

std::string times_section(const Comparison& comparison) {
  auto text =
      "<section><h2>Times</h2><p class=\"faint small\">Times of cases that passed in both, with their compilation; each was "
      "measured once.</p>" +
      families_table(comparison.families);
  if (comparison.slower.empty()) return text + "</section>";
  text += fmt::format("<h3>Cases that take {:g} times as long, and {:g} s longer ({})</h3>", kSlowerFactor, kSlowerSeconds,
                      comparison.slower.size());
  text += table_start("card scroll", "small wrapped", {{"case"}, {"first", "number"}, {"second", "number"}});
  for (size_t i = 0; i < std::min(comparison.slower.size(), kMostSlower); ++i) {
    const auto& [before, now] = comparison.slower[i];
    text += table_row({{"<code>" + escaped(name_of(*now)) + "</code>"},
                       {fmt::format("{:.3f} s", before->seconds), "number"},
                       {fmt::format("{:.3f} s", now->seconds), "number"}});
  }
  return text + std::string(kTableEnd) + "</section>";
}

std::string differences_section(const std::vector<Difference>& differences) {
  std::string text = "<section><h2>Differences of the runs</h2>";
  if (differences.empty()) {
    return text + "<p>The records name none: the same nnvk, device, driver, vectors and settings.</p></section>";
  }
  text += table_start("card scroll", "small", {{"fact"}, {"first"}, {"second"}});
  for (const auto& difference : differences) {
    text += table_row({{escaped(fact_of(difference))}, {escaped(difference.before.value)}, {escaped(difference.now.value)}});
  }
  return text + std::string(kTableEnd) + "</section>";
}

nlohmann::ordered_json to_json(const std::vector<const Record*>& records) {
  auto list = nlohmann::ordered_json::array();
  for (const auto* const record : records) {
    list.push_back({{"case", record->name},
                    {"variant", record->variant},
                    {"kind", kind_name(record->outcome.kind)},
                    {"message", record->outcome.message}});
  }
  return list;
}

nlohmann::ordered_json to_json(const std::vector<Provenance>& provenances) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& provenance : provenances) list.push_back(to_json(provenance));
  return list;
}

}  // namespace

std::string comparison_page(const ComparedRuns& runs) {
  const Comparison& c = runs.comparison;
  const bool is_worse = !c.new_failures.empty();
  std::string body = fmt::format(
      "<header class=\"{}\"><div><h1>Comparison of two runs</h1><p class=\"faint\">First: {}<br>Second: {}</p><p "
      "class=\"verdict\">{}</p></div></header><main>",
      is_worse ? "bad" : "good", escaped(runs.name_before), escaped(runs.name_now),
      is_worse ? fmt::format("{} new failures", c.new_failures.size()) : "No new failures");
  body += "<div class=\"tiles\">" + tile(std::to_string(c.new_failures.size()), "new failures", is_worse ? "bad" : "") +
          tile(std::to_string(c.fixed.size()), "fixed", c.fixed.empty() ? "" : "good") +
          tile(std::to_string(c.unchanged.size()), "unchanged failures", "") +
          tile(std::to_string(c.slower.size()), "slower", "") + tile(std::to_string(c.in_both), "cases in both", "") + "</div>";
  if (c.only_before + c.only_now > 0) {
    body += fmt::format("<p>{} cases are only in the first run, {} only in the second.</p>", c.only_before, c.only_now);
  }
  body += differences_section(runs.differences) + record_section("New failures", "bad", c.new_failures) +
          record_section("Fixed", "good", c.fixed) + record_section("Unchanged failures", "warn", c.unchanged) + times_section(c);
  body += "<section><h2>First run</h2><div class=\"card\">" + facts_table(runs.before) +
          "</div><h2>Second run</h2><div class=\"card\">" + facts_table(runs.now) + "</div></section></main><footer></footer>";
  return document("Comparison of two runs", body);
}

std::string comparison_text(const ComparedRuns& runs) {
  const Comparison& c = runs.comparison;
  std::string text = fmt::format("first   {}\nsecond  {}\n", runs.name_before, runs.name_now);
  for (const auto& difference : runs.differences) {
    text += fmt::format("DIFFERENT {}: '{}' then '{}'\n", fact_of(difference), difference.before.value, difference.now.value);
  }
  for (const auto* const record : c.new_failures)
    text += fmt::format("NEW FAILURE {}: {}\n", name_of(*record), record->outcome.message);
  for (const auto* const record : c.fixed) text += fmt::format("FIXED {}\n", name_of(*record));
  for (const auto* const record : c.unchanged)
    text += fmt::format("UNCHANGED {}: {}\n", name_of(*record), record->outcome.message);
  for (const auto& [before, now] : c.slower) {
    text += fmt::format("SLOWER {}: {:.3f} s then {:.3f} s\n", name_of(*now), before->seconds, now->seconds);
  }
  for (const auto& times : c.families) {
    if (!is_worth_a_line(times)) continue;
    text += fmt::format("TIME {}{}: {:.2f} s then {:.2f} s for {} cases\n", times.family,
                        times.variant.empty() ? "" : " (" + times.variant + ")", times.before, times.now, times.cases);
  }
  return text + counts(c) + "\n";
}

nlohmann::ordered_json comparison_json(const ComparedRuns& runs) {
  const Comparison& c = runs.comparison;
  nlohmann::ordered_json json{{"first", runs.name_before},
                              {"second", runs.name_now},
                              {"first_runs", to_json(runs.before)},
                              {"second_runs", to_json(runs.now)},
                              {"differences", nlohmann::ordered_json::array()},
                              {"new_failures", to_json(c.new_failures)},
                              {"fixed", to_json(c.fixed)},
                              {"unchanged", to_json(c.unchanged)},
                              {"slower", nlohmann::ordered_json::array()},
                              {"in_both", c.in_both},
                              {"only_in_first", c.only_before},
                              {"only_in_second", c.only_now}};
  for (const auto& d : runs.differences) {
    json["differences"].push_back({{"variant", d.variant},
                                   {"group", d.now.group},
                                   {"name", d.now.name},
                                   {"first", d.before.value},
                                   {"second", d.now.value}});
  }
  for (const auto& [before, now] : c.slower) {
    json["slower"].push_back(
        {{"case", now->name}, {"variant", now->variant}, {"first", before->seconds}, {"second", now->seconds}});
  }
  return json;
}

}  // namespace nnvk::tools::conformance
