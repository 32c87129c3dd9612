#include "tools/device_check/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "tools/device_check/plan.h"
#include "tools/markup/document.h"
#include "tools/markup/text.h"

namespace nnvk::tools::device_check {
namespace {

const char* style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGood:
      return "good";
    case Verdict::kBad:
      return "bad";
    default:
      return "warn";
  }
}

std::string_view title_of(const std::string& name) {
  const auto all = stages();
  const auto found = std::ranges::find(all, name, &Stage::name);
  return found == all.end() ? std::string_view(name) : found->title;
}

Cell numeric(std::string content) { return {std::move(content), "number"}; }
Cell numeric(double value, int decimals) { return numeric(fmt::format("{:.{}f}", value, decimals)); }

std::string header(const Check& check) {
  const Verdict verdict = verdict_of(check);
  const auto count = [&](Verdict wanted) {
    return std::ranges::count_if(check.results, [&](const StageResult& result) { return result.verdict == wanted; });
  };
  auto text = fmt::format("<header class=\"{}\"><div><h1>nnvk gpu-check</h1><div class=\"verdict\">{}: {} of {} stages are good",
                          style_of(verdict), name_of(verdict), count(Verdict::kGood), check.results.size());
  for (const Verdict other : {Verdict::kUnfinished, Verdict::kNotPossible, Verdict::kBad}) {
    if (count(other) > 0) text += fmt::format(", {} {}", count(other), name_of(other));
  }
  return text + "</div></div></header>\n";
}

std::string facts(const Check& check) {
  auto text = "<section id=\"facts\"><h2>The run</h2>" + table_start("card scroll", "", {});
  for (const auto& [name, value] : check.facts) text += table_row({{escaped(name), ""}, {escaped(value), "mono"}});
  return text + std::string(kTableEnd) + "</section>\n";
}

std::string overview(const Check& check) {
  auto text = "<section id=\"stages\"><h2>Stages</h2>" +
              table_start("card scroll", "", {{"stage"}, {"verdict"}, {"result"}, numeric("seconds")});
  for (const StageResult& result : check.results) {
    text += table_row({{fmt::format("<a href=\"#{}\">{}</a>", result.name, escaped(title_of(result.name))), ""},
                       {fmt::format("<span class=\"tag {}\">{}</span>", style_of(result.verdict), name_of(result.verdict)), ""},
                       {escaped(result.summary), ""},
                       numeric(result.seconds, 1)});
  }
  return text + std::string(kTableEnd) + "</section>\n";
}

// ---- The figures of the stages ----

std::string property_table(const Json& device) {
  auto text = table_start("card scroll", "", {{"property"}, {"value"}});
  for (const auto& property : device.value("properties", Json::array())) {
    text += table_row({{escaped(property.value("group", "") + ": " + property.value("name", "")), ""},
                       {escaped(property.value("value", "")), "mono"}});
  }
  return "<details><summary>Properties of the device</summary>" + text + std::string(kTableEnd) + "</details>";
}

std::string failures_of(const Json& figures) {
  constexpr size_t kMostShown = 200;
  const auto failures = figures.value("failures", Json::array());
  if (failures.empty()) return {};
  auto text = table_start("card scroll", "", {{"failed case"}, {"variant"}, {"reason"}});
  for (size_t i = 0; i < std::min(failures.size(), kMostShown); ++i) {
    text += table_row({{escaped(failures[i].value("case", "")), "mono"},
                       {escaped(failures[i].value("variant", "")), ""},
                       {escaped(clipped(failures[i].value("message", ""), 400)), ""}});
  }
  text += kTableEnd;
  if (failures.size() > kMostShown) text += fmt::format("<p>The first {} of {} failures.</p>", kMostShown, failures.size());
  return text;
}

std::string cases(const Json& figures) {
  auto text = failures_of(figures);
  text += "<details><summary>Families</summary>" +
          table_start("card scroll", "", {{"family"}, numeric("passed"), numeric("failed"), numeric("skipped")});
  const auto families = figures.value("families", Json::object());
  for (const auto& [family, totals] : families.items()) {
    text += table_row({{escaped(family), ""},
                       numeric(fmt::to_string(totals.value("passed", 0))),
                       numeric(fmt::to_string(totals.value("failed", 0))),
                       numeric(fmt::to_string(totals.value("skipped", 0)))});
  }
  return text + std::string(kTableEnd) + "</details>";
}

std::string validation(const Json& figures) {
  std::string text;
  for (const auto& message : figures.value("messages", Json::array()))
    text += "<pre>" + escaped(message.get<std::string>()) + "</pre>";
  return text + cases(figures);
}

std::string forms(const Json& figures) {
  auto text = table_start("card scroll", "", {{"form"}, {"result"}, numeric("seconds")});
  std::string failures;
  for (const auto& part : figures.value("parts", Json::array())) {
    text += table_row({{escaped(part.value("part", "")), "mono"},
                       {escaped(part.value("summary", "")), ""},
                       numeric(part.value("seconds", 0.0), 1)});
    if (const auto failed = failures_of(part); !failed.empty())
      failures += "<h3>" + escaped(part.value("part", "")) + "</h3>" + failed;
  }
  return text + std::string(kTableEnd) + failures;
}

// Rows of layers; a column for each form with its time relative to the plain one's.
std::string layers(const Json& figures) {
  using Key = std::string;
  const auto key_of = [](const Json& row) {
    return row.value("layer", "") + "|" + row.value("type", "") + "|" + fmt::to_string(row.value("batch", 0));
  };
  std::map<std::string, std::map<Key, Json>> by_part;
  std::vector<std::string> parts;
  std::vector<Key> order;
  for (const auto& part : figures.value("parts", Json::array())) {
    parts.push_back(part.value("part", ""));
    for (const auto& row : part.value("layers", Json::array())) {
      if (parts.size() == 1) order.push_back(key_of(row));
      by_part[parts.back()][key_of(row)] = row;
    }
  }
  if (parts.empty()) return {};
  std::string text =
      "<p>Times are the device's own. The columns on the right force a form of the kernels; they show its time as a multiple of "
      "the time with nnvk's own choice, and — where the form computes this layer with the same kernel.</p>" +
      table_start("card scroll", "matrix", {});
  text +=
      "<tr><th>layer</th><th>type</th><th class=\"number\">batch</th><th class=\"number\">us</th><th class=\"number\">Gop/s</th>"
      "<th class=\"number\">share of peak</th>";
  for (size_t i = 1; i < parts.size(); ++i) text += "<th class=\"number\">" + escaped(parts[i]) + "</th>";
  text += "<th>kernel</th></tr>";
  for (const Key& key : order) {
    const Json& row = by_part[parts.front()][key];
    const double seconds = row.value("seconds", 0.0);
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{:.1f}</td>"
        "<td class=\"number\">{:.1f}</td><td class=\"number\">{}</td>",
        escaped(row.value("layer", "")), escaped(row.value("type", "")), row.value("batch", 0), seconds * 1e6,
        row.value("operations_per_second", 0.0) / 1e9,
        row.contains("share_of_ceiling") ? fmt::format("{:.0f} %", 100 * row.value("share_of_ceiling", 0.0)) : "");
    for (size_t i = 1; i < parts.size(); ++i) {
      const auto found = by_part[parts[i]].find(key);
      std::string cell;
      if (found != by_part[parts[i]].end()) {
        const bool is_same = found->second.value("kernel", "") == row.value("kernel", "");
        cell = is_same ? "—" : fmt::format("{:.2f}", found->second.value("seconds", 0.0) / seconds);
      }
      text += "<td class=\"number\">" + cell + "</td>";
    }
    text += "<td class=\"mono\">" + escaped(row.value("kernel", "")) + "</td></tr>";
  }
  return text + std::string(kTableEnd);
}

// Writes numbers by their names: "top_1 0.968, samples 359".
std::string numbers(const Json& object) {
  std::string text;
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", name, value.get<double>());
  }
  return text;
}

std::string models(const Json& figures) {
  auto text =
      table_start("card scroll", "",
                  {{"model"}, {"device"}, numeric("median ms"), numeric("p99 ms"), numeric("compile ms"), {"accuracy, problem"}});
  for (const auto& m : figures.value("measurements", Json::array())) {
    const auto latency = m.value("latency_seconds", Json::object());
    const auto accuracy = m.value("accuracy", Json::object());
    const std::string note = m.contains("problem") ? m.value("problem", "") : numbers(accuracy);
    text += table_row({{escaped(m.value("model", "")), ""},
                       {escaped(m.value("engine", "")), ""},
                       latency.empty() ? numeric("") : numeric(latency.value("median", 0.0) * 1e3, 3),
                       latency.empty() ? numeric("") : numeric(latency.value("p99", 0.0) * 1e3, 3),
                       latency.empty() ? numeric("") : numeric(m.value("compile_seconds", 0.0) * 1e3, 1),
                       {escaped(note), "small"}});
  }
  return text + std::string(kTableEnd);
}

std::string latency(const Json& figures) {
  auto text = table_start("card scroll", "",
                          {{"execution"}, numeric("samples"), numeric("median us"), numeric("p99 us"), numeric("largest us")});
  for (const auto& row : figures.value("latencies", Json::array())) {
    text += table_row({{escaped(row.value("name", "")), ""},
                       numeric(fmt::to_string(row.value("samples", 0))),
                       numeric(row.value("median_us", 0.0), 1),
                       numeric(row.value("p99_us", 0.0), 1),
                       numeric(row.value("largest_us", 0.0), 1)});
  }
  return text + std::string(kTableEnd);
}

std::string calibration(const Json& figures) {
  auto text = table_start("card scroll", "", {{"device"}, numeric("samples"), numeric("median error"), {"choices, problem"}});
  for (const auto& device : figures.value("devices", Json::array())) {
    text += table_row({{escaped(device.value("device", "")), ""},
                       numeric(fmt::to_string(device.value("samples", 0))),
                       numeric(fmt::format("{:.0f} %", 100 * device.value("median_error", 0.0))),
                       {escaped(device.contains("error") ? device.value("error", "") : device.value("choices", "")), ""}});
  }
  return text + std::string(kTableEnd);
}

std::string section(const StageResult& result) {
  static const std::map<std::string_view, std::function<std::string(const Json&)>> kWriters = {
      {"device", property_table},   {"conformance", cases},     {"forms", forms},
      {"calibration", calibration}, {"layers", layers},         {"models", models},
      {"latency", latency},         {"validation", validation}, {"all_cases", cases}};
  auto text =
      fmt::format("<section id=\"{}\"><h2>{}</h2><p><span class=\"tag {}\">{}</span> {}</p>", result.name,
                  escaped(title_of(result.name)), style_of(result.verdict), name_of(result.verdict), escaped(result.summary));
  const auto writer = kWriters.find(result.name);
  if (writer != kWriters.end() && result.figures.is_object() && !result.figures.empty()) text += writer->second(result.figures);
  return text + "</section>\n";
}

}  // namespace

std::string to_page(const Check& check) {
  std::string body = header(check) + "<main>" + overview(check);
  for (const StageResult& result : check.results) body += section(result);
  return document("nnvk gpu-check", body + facts(check) + "</main>");
}

}  // namespace nnvk::tools::device_check
