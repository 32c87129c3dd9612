// Facts and failures as HTML.
#include "tools/conformance/page/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/conformance/page/report_folder.h"
#include "tools/markup/document.h"
#include "tools/markup/text.h"

namespace nnvk::tools::conformance {
namespace {

constexpr size_t kMostMessage = 2000;  // bytes of a message
constexpr size_t kMostModel = 6000;    // of a model's description

std::string link(const std::string& folder, const std::string& file) {
  return file.empty() ? "" : fmt::format("<a href=\"{}/{}\">{}</a>", escaped(folder), escaped(file), escaped(file));
}

std::string operands_table(const Evidence& evidence, const std::string& folder) {
  if (evidence.operands.empty()) return "";
  auto text =
      table_start("scroll", "small", {{"operand"}, {"type"}, {"shape"}, {"quantization"}, {"values, as stored"}, {"dump"}});
  for (const auto& operand : evidence.operands) {
    text += table_row({{fmt::format("%{} {}", operand.index, escaped(operand.role))},
                       {escaped(operand.type)},
                       {escaped(operand.shape)},
                       {escaped(operand.quantity)},
                       {"<code>" + escaped(operand.values) + "</code>"},
                       {link(folder, operand.file)}});
  }
  text += kTableEnd;
  if (evidence.operands.size() == kMostOperands)
    text += fmt::format("<p class=\"faint small\">The first {} operands.</p>", kMostOperands);
  return text;
}

std::string wrong_elements(const OutputEvidence& output) {
  if (output.first.empty()) return "";
  auto text = table_start("scroll", "small",
                          {{"element", "number"},
                           {"at"},
                           {"expected", "number"},
                           {"got", "number"},
                           {"difference", "number"},
                           {"distance", "number"}});
  for (const auto& element : output.first) {
    text += table_row({{std::to_string(element.index), "number"},
                       {"<code>" + escaped(element.at) + "</code>"},
                       {escaped(element.expected), "number"},
                       {escaped(element.got), "number"},
                       {escaped(element.difference), "number"},
                       {escaped(element.distance), "number"}});
  }
  text += kTableEnd;
  if (output.wrong > output.first.size()) {
    text += fmt::format("<p class=\"faint small\">The first {} of {} wrong elements.</p>", output.first.size(), output.wrong);
  }
  return text;
}

std::string picture(const OutputEvidence& output) {
  if (output.map.cells.empty()) return "";
  return fmt::format("<div>{}<p class=\"faint small\">rows: {}<br>columns: {}</p></div>", to_svg(output.map),
                     escaped(output.map.row_label), escaped(output.map.column_label));
}

std::string output_part(const OutputEvidence& output, size_t index, const std::string& folder) {
  std::string text = fmt::format("<h3>Output {}: {} {}</h3>", index, escaped(output.type), escaped(output.expected_shape));
  if (!output.got_shape.empty() && output.got_shape != output.expected_shape) {
    text += fmt::format("<p>The device gave the shape <b>{}</b>.</p>", escaped(output.got_shape));
  }
  if (output.wrong > 0) {
    text +=
        fmt::format("<p><b>{} of {} elements</b> are wrong{}{}. Allowed: {}.{}</p>", output.wrong, output.elements,
                    output.worst.empty() ? "" : ", by up to " + escaped(output.worst),
                    output.not_finite == 0 ? "" : fmt::format("; {} of them by NaN or infinity", output.not_finite),
                    escaped(output.tolerance), output.quantity.empty() ? "" : " Quantization: " + escaped(output.quantity) + ".");
  } else if (output.elements > 0) {
    text += "<p>All elements are within the tolerance.</p>";
  }
  text += "<div class=\"columns\"><div class=\"wide\">" + wrong_elements(output);
  if (!output.expected_file.empty() || !output.got_file.empty()) {
    text += fmt::format("<p class=\"small\">Dumps: {} {}</p>", link(folder, output.expected_file), link(folder, output.got_file));
  }
  return text + "</div>" + picture(output) + "</div>";
}

std::string evidence_part(const Evidence& evidence, const std::string& folder) {
  std::string operations;
  for (const auto& operation : evidence.operations) operations += (operations.empty() ? "" : ", ") + operation;
  std::string text = fmt::format("<p>Operations: {}{}</p>", escaped(clipped(operations, kMostMessage)),
                                 evidence.relaxed ? ". FLOAT32 may be computed with the precision of FLOAT16." : "");
  for (size_t i = 0; i < evidence.outputs.size(); ++i) text += output_part(evidence.outputs[i], i, folder);
  text += "<h3>Operands</h3>" + operands_table(evidence, folder);
  if (!evidence.model.empty()) {
    text +=
        "<details><summary>The whole model</summary><pre>" + escaped(clipped(evidence.model, kMostModel)) + "</pre></details>";
  }
  if (!evidence.left_out.empty())
    text += "<p class=\"faint small\">Some dumps are missing: " + escaped(evidence.left_out) + ".</p>";
  return text;
}

std::string failure(const Record& record, const FailureList& list, const ReportedRun& run, const EvidenceSource& source,
                    bool is_open) {
  const auto* const waiver = covering(run.waivers, record);
  const std::string kind = kind_name(record.outcome.kind);
  const auto mark = list.kind == "bad" ? kind : list.kind;
  const auto& message = record.outcome.message;
  std::string text = fmt::format(
      "<details{} class=\"failure {}\" data-words=\"{} {} {}\"><summary><span class=\"tag {}\">{}</span> "
      "<code>{}</code>{}<br><span class=\"small faint\">{}</span></summary><div>",
      is_open ? " open" : "", escaped(list.kind), escaped(record.name), escaped(record.variant), escaped(kind),
      list.kind == "bad" ? "bad" : "warn", escaped(mark), escaped(record.name),
      record.variant.empty() ? "" : " <span class=\"tag\">" + escaped(record.variant) + "</span>",
      escaped(clipped(message, 240)));
  if (message.size() > 240) text += "<pre>" + escaped(clipped(message, kMostMessage)) + "</pre>";
  if (waiver != nullptr) {
    text += fmt::format("<p>Waived until {}: {}</p>", escaped(waiver->expires), escaped(waiver->reason));
  }
  if (record.is_flaky())
    text += fmt::format("<p>The case passed at attempt {}. The rest is about the last attempt that failed.</p>", record.attempts);
  if (const auto* const provenance = provenance_of(run.provenances, record.variant); provenance != nullptr) {
    const auto command = command_for(*provenance, record.name);
    if (!command.empty())
      text += "<p class=\"small\">This case alone:</p><code class=\"command\">" + escaped(command) + "</code>";
  }
  if (const auto found = source(record)) text += evidence_part(*found, evidence_folder(record.name, record.variant));
  return text + "</div></details>";
}

// Returns the value of one fact as text: "texel: 1; words: 2", or a single value if all variants agree. `name` identifies the
// fact; `fact` is its usual index in facts().
std::string values_of(const std::vector<Provenance>& provenances, size_t fact, const std::string& name) {
  std::vector<std::string> values;
  std::string joined;
  for (const auto& provenance : provenances) {
    const auto list = facts(provenance);
    const bool same_place = fact < list.size() && list[fact].name == name;
    const auto found = same_place ? list.begin() + static_cast<ptrdiff_t>(fact) : std::ranges::find(list, name, &Property::name);
    values.push_back(found == list.end() ? "" : found->value);
    joined += fmt::format("{}{}{}", joined.empty() ? "" : "; ",
                          provenance.subject.variant.empty() || name == "variant" ? "" : provenance.subject.variant + ": ",
                          values.back());
  }
  const bool are_same = std::ranges::all_of(values, [&](const auto& value) { return value == values.front(); });
  return are_same ? values.front() : joined;
}

}  // namespace

std::string tile(const std::string& figure, const std::string& name, const std::string& kind) {
  return fmt::format("<div class=\"tile {}\"><b>{}</b>{}</div>", kind, escaped(figure), escaped(name));
}

std::string facts_table(const std::vector<Provenance>& provenances) {
  if (provenances.empty()) return "";
  std::string text = "<table class=\"facts\">";
  const auto list = facts(provenances.front());
  for (size_t i = 0; i < list.size() && list[i].group == "run"; ++i) {
    text +=
        fmt::format("<tr><th>{}</th><td>{}</td></tr>", escaped(list[i].name), escaped(values_of(provenances, i, list[i].name)));
  }
  for (const auto& property : list) {
    if (property.group != "driver" && property.group != "device") continue;
    text += fmt::format("<tr><th>{}: {}</th><td>{}</td></tr>", escaped(property.group), escaped(property.name),
                        escaped(property.value));
  }
  return text + "</table>";
}

std::string properties_table(const Provenance& provenance) {
  if (provenance.properties.empty()) return "";
  std::string text =
      "<details class=\"card\"><summary>All properties of the device: limits, memory, features, and how nnvk uses "
      "it</summary><table class=\"facts\">";
  std::string group;
  for (const auto& property : provenance.properties) {
    if (property.group != group)
      text += fmt::format("<tr class=\"group\"><th colspan=\"2\">{}</th></tr>", escaped(property.group));
    group = property.group;
    text += fmt::format("<tr><th>{}</th><td>{}</td></tr>", escaped(property.name), escaped(property.value));
  }
  return text + "</table></details>";
}

std::string failure_section(const FailureList& list, const ReportedRun& run, const EvidenceSource& evidence) {
  if (list.records.empty()) return "";
  std::map<std::string, std::vector<const Record*>> groups;
  for (const auto* const record : list.records) groups[group_of(record->name)].push_back(record);
  std::string text =
      fmt::format("<section id=\"{}\"><h2>{} ({})</h2>", escaped(list.id), escaped(list.title), list.records.size());
  size_t shown = 0;
  for (const auto& [group, records] : groups) {
    if (shown == kMostShownFailures) break;
    text += fmt::format("<div data-group><h3>{} <span class=\"faint\">({})</span></h3>", escaped(group), records.size());
    for (const auto* const record : records) {
      if (shown == kMostShownFailures) break;
      text += failure(*record, list, run, evidence, shown == 0);  // the first one shows readers what the others hold
      ++shown;
    }
    text += "</div>";
  }
  if (shown < list.records.size()) {
    text += fmt::format("<p><b>{} more are not shown here.</b> The record (results.jsonl) has all of them.</p>",
                        list.records.size() - shown);
  }
  return text + "</section>";
}

std::string legend() {
  static constexpr const char* kLevels[] = {
      "equal", "within the tolerance", "wrong by up to 2 times the tolerance (or 2 steps)", "up to 10 times", "up to 1000 times",
      "more",  "NaN or infinity"};
  std::string text = "<div class=\"legend small faint\">";
  for (size_t i = 0; i < std::size(kLevels); ++i) text += fmt::format("<span><i class=\"level{}\"></i>{}</span>", i, kLevels[i]);
  return text + "</div>";
}

}  // namespace nnvk::tools::conformance
