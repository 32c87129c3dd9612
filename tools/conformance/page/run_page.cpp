// The parts of the page, from top to bottom.
#include "tools/conformance/page/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tools/conformance/page/report_folder.h"
#include "tools/markup/document.h"
#include "tools/markup/text.h"

namespace nnvk::tools::conformance {
namespace {

// Returns the column of a type: conversions such as "float32_to_quant8" belong to their first type.
std::string column_of(const std::string& type) {
  if (type.empty()) return "several";
  const size_t end = std::min(type.find("_to_"), type.find("_of_"));
  return type.substr(0, end);
}

// Returns the place of a column: frequent types first, in this order; then all others.
size_t place_of(const std::string& column) {
  static const std::vector<std::string> kFirst{
      "float32", "float16", "quant8", "quant8_signed", "quant8_channel", "quant8_signed_channel", "int32", "bool8"};
  if (column == "several") return kFirst.size() + 1;
  return static_cast<size_t>(std::ranges::find(kFirst, column) - kFirst.begin());
}

struct ByPlace {
  bool operator()(const std::string& a, const std::string& b) const {
    const size_t first = place_of(a);
    const size_t second = place_of(b);
    return first != second ? first < second : a < b;
  }
};

void add(Totals& sum, const Totals& part) {
  sum.passed += part.passed;
  sum.failed += part.failed;
  sum.waived += part.waived;
  sum.skipped += part.skipped;
  sum.seconds += part.seconds;
}

std::string matrix_cell(const Totals& totals) {
  if (totals.all() == 0) return "<td></td>";
  const auto all = totals.all();
  if (totals.failed > 0) {
    return fmt::format("<td class=\"number bad\" title=\"{} of {} cases failed\">{} of {}</td>", totals.failed, all,
                       totals.failed, all);
  }
  if (totals.waived > 0)
    return fmt::format("<td class=\"number warn\" title=\"{} waived\">{} + {}w</td>", totals.waived, totals.passed,
                       totals.waived);
  if (totals.skipped > 0) {
    return fmt::format("<td class=\"number faint\" title=\"{} skipped\">{} + {}s</td>", totals.skipped, totals.passed,
                       totals.skipped);
  }
  return fmt::format("<td class=\"number good\">{}</td>", totals.passed);
}

// Returns the name of a type, which a browser may break after each "_".
std::string breakable(const std::string& type) {
  std::string text;
  for (const char c : escaped(type)) text += c == '_' ? std::string("_<wbr>") : std::string(1, c);
  return text;
}

// Writes a table of families and types.
std::string matrix(const Summary& summary, const std::string& variant) {
  std::map<std::string, std::map<std::string, Totals, ByPlace>> families;
  std::set<std::string, ByPlace> columns;
  for (const auto& [key, totals] : summary.types) {
    if (key.variant != variant) continue;
    columns.insert(column_of(key.type));
    add(families[key.family][column_of(key.type)], totals);
  }
  auto text = table_start("scroll", "matrix small", {}) +
              "<tr><th>family</th><th class=\"number\">all</th><th class=\"number\">seconds</th>";
  for (const auto& column : columns) text += "<th class=\"number\">" + breakable(column) + "</th>";
  text += "</tr>";
  for (auto& [family, types] : families) {
    Totals sum;
    std::string cells;
    for (const auto& column : columns) {
      cells += matrix_cell(types[column]);
      add(sum, types[column]);
    }
    text += fmt::format("<tr><th>{}</th>{}<td class=\"number faint\">{:.1f}</td>{}</tr>",
                        escaped(family.empty() ? "(none)" : family), matrix_cell(sum), sum.seconds, cells);
  }
  return text + std::string(kTableEnd);
}

std::set<std::string> variants_of(const Summary& summary) {
  std::set<std::string> variants;
  for (const auto& [key, totals] : summary.types) variants.insert(key.variant);
  return variants;
}

std::string summary_section(const Summary& summary) {
  std::string text =
      "<section id=\"summary\"><h2>Results by family and type</h2><p class=\"faint small\">Green: passed. Red: failed, of all. "
      "\"+ 3s\": 3 more were skipped. \"+ 3w\": 3 more failed and are waived.</p>";
  for (const auto& variant : variants_of(summary)) {
    if (!variant.empty()) text += "<h3>Variant of kernels: " + escaped(variant) + "</h3>";
    text += "<div class=\"card\">" + matrix(summary, variant) + "</div>";
  }
  return text + "</section>";
}

std::string skipped_section(const Summary& summary) {
  if (summary.skip_reasons.empty()) return "";
  auto text = fmt::format("<section id=\"skipped\"><h2>Skipped ({})</h2>", summary.totals.skipped) +
              table_start("card scroll", "small", {{"cases", "number"}, {"reason"}});
  for (const auto& [reason, count] : summary.skip_reasons) {
    text += table_row({{std::to_string(count), "number"}, {escaped(clipped(reason, 400))}});
  }
  return text + std::string(kTableEnd) + "</section>";
}

std::string baseline_section(const Comparison* comparison) {
  if (comparison == nullptr) return "";
  std::string text = fmt::format(
      "<section id=\"baseline\"><h2>Against the baseline</h2><div class=\"card\"><p>{} new failures, {} fixed, {} unchanged "
      "failures.</p>",
      comparison->new_failures.size(), comparison->fixed.size(), comparison->unchanged.size());
  const auto names = [&](const char* title, const std::vector<const Record*>& records) {
    constexpr size_t kMost = 500;
    if (records.empty()) return;
    text += fmt::format("<details><summary>{} ({})</summary><pre>", title, records.size());
    for (size_t i = 0; i < std::min(records.size(), kMost); ++i)
      text += escaped(records[i]->name + " " + records[i]->variant) + "\n";
    text += records.size() > kMost ? "...</pre></details>" : "</pre></details>";
  };
  names("New failures", comparison->new_failures);
  names("Fixed", comparison->fixed);
  names("Unchanged failures", comparison->unchanged);
  return text + "</div></section>";
}

struct Headline {
  const char* kind;  // a class of the style
  std::string text;
};

Headline verdict_of(const RunPage& page, const Totals& totals) {
  const size_t done = page.run.records.size();
  if (totals.failed > 0) return {"bad", fmt::format("Not conformant: {} of {} cases failed", totals.failed, done)};
  if (done < page.expected) return {"warn", fmt::format("Incomplete: {} of {} cases have a result", done, page.expected)};
  if (totals.passed == 0) return {"warn", "No case ran: the device supports none of them"};
  return {"good", fmt::format("Conformant: all {} cases passed{}", totals.passed,
                              totals.skipped > 0 ? fmt::format(" that the device supports ({} skipped)", totals.skipped) : "")};
}

// Returns the name of the hardware, if the device tells it, else the device's name.
std::string hardware_of(const Provenance& provenance) {
  for (const auto& property : provenance.properties) {
    if (property.group == "device" && property.name == "name") return property.value;
  }
  return provenance.subject.device;
}

std::string limits_section() {
  return fmt::format(
      "<section id=\"about\"><h2>About this report</h2><div class=\"card small\">"
      "<p>Each case is a small NNAPI model with inputs and expected outputs. It passes if all outputs have the expected shapes "
      "and "
      "values within the tolerance of their type; generated cases allow integers no difference from the reference device.</p>"
      "<p>Limits of this page: it shows {} failures of a kind one by one. At most {} failures of an operation and type, and {} "
      "of a "
      "variant, have details and dumps (.npy, in the folder \"failures\" beside this page; at most {} MiB for a case). "
      "The record, results.jsonl, has every case.</p></div></section>",
      kMostShownFailures, kMostFailuresOfAGroup, kMostFailuresWithEvidence, kMostDumpedBytes >> 20);
}

std::string tiles(const Totals& totals, size_t flaky, const std::vector<Provenance>& provenances) {
  double seconds = 0;
  for (const auto& provenance : provenances) seconds += provenance.seconds;
  std::string text = "<div class=\"tiles\">" + tile(std::to_string(totals.passed), "passed", totals.passed > 0 ? "good" : "") +
                     tile(std::to_string(totals.failed), "failed", totals.failed > 0 ? "bad" : "") +
                     tile(std::to_string(totals.skipped), "skipped", "");
  if (totals.waived > 0) text += tile(std::to_string(totals.waived), "waived", "");
  if (flaky > 0) text += tile(std::to_string(flaky), "flaky", "");
  return text + tile(fmt::format("{:.0f} s", seconds), "duration", "") + "</div>";
}

}  // namespace

std::string run_page(const RunPage& page) {
  const auto summary = summarize(page.run.records, page.run.waivers);
  FailureList failed{"failures", "Failures", "bad", {}};
  FailureList waived{"waived", "Waived failures", "waived", {}};
  FailureList flaky{"flaky", "Flaky cases: they failed, then passed", "flaky", {}};
  for (const auto& record : page.run.records) {
    if (record.is_flaky()) flaky.records.push_back(&record);
    if (record.outcome.verdict != Verdict::kFailed) continue;
    (covering(page.run.waivers, record) == nullptr ? failed : waived).records.push_back(&record);
  }
  const auto verdict = verdict_of(page, summary.totals);
  const Provenance first = page.run.provenances.empty() ? Provenance() : page.run.provenances.front();
  const auto title = "Conformance of " + hardware_of(first);

  std::string body = fmt::format("<header class=\"{}\"><div><h1>{}</h1><p class=\"faint\">{}</p><p class=\"verdict\">{}</p>",
                                 verdict.kind, escaped(title), escaped(first.subject.driver), escaped(verdict.text));
  if (verdict.kind == std::string_view("bad") && page.run.records.size() < page.expected) {
    body += fmt::format("<p>The run is incomplete: {} of {} cases have a result.</p>", page.run.records.size(), page.expected);
  }
  if (!page.stopped.empty()) body += "<p>The run ended early: " + escaped(page.stopped) + "</p>";
  body += "<nav>";
  const auto go = [&](const char* id, const char* name, bool exists) {
    if (exists) body += fmt::format("<a href=\"#{}\">{}</a>", id, name);
  };
  go("summary", "Results by family", true);
  go("failures", "Failures", !failed.records.empty());
  go("flaky", "Flaky cases", !flaky.records.empty());
  go("waived", "Waived failures", !waived.records.empty());
  go("skipped", "Skipped", !summary.skip_reasons.empty());
  go("baseline", "Against the baseline", page.baseline != nullptr);
  go("provenance", "Device and run", true);
  body += "</nav></div></header><main>" + tiles(summary.totals, flaky.records.size(), page.run.provenances);
  body += summary_section(summary);
  if (!failed.records.empty() || !flaky.records.empty() || !waived.records.empty()) {
    body +=
        "<h2>Failures in detail</h2><p class=\"small\">Colours of the pictures of differences:</p>" + legend() +
        "<input id=\"filter\" type=\"search\" placeholder=\"Show only failures with these words\" aria-label=\"Filter\" hidden>";
  }
  body += failure_section(failed, page.run, page.evidence) + failure_section(flaky, page.run, page.evidence) +
          failure_section(waived, page.run, page.evidence);
  body += skipped_section(summary) + baseline_section(page.baseline);
  body += "<section id=\"provenance\"><h2>Device and run</h2><div class=\"card\">" + facts_table(page.run.provenances) +
          "</div>" + properties_table(first) + "</section>" + limits_section();
  body += fmt::format("</main><footer>nnvk {} · {}</footer>", escaped(version_text(first)), escaped(first.started));
  return document(title, body);
}

}  // namespace nnvk::tools::conformance
