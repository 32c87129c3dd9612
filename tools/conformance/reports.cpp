// Counting and formatting.
#include "tools/conformance/reports.h"
#include "tools/nnapi/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nnvk::tools::conformance {
namespace {

void count(Totals& totals, const Record& record, bool waived) {
  totals.seconds += record.seconds;
  switch (record.outcome.verdict) {
    case Verdict::kPassed:
      ++totals.passed;
      break;
    case Verdict::kSkipped:
      ++totals.skipped;
      break;
    case Verdict::kFailed:
      ++(waived ? totals.waived : totals.failed);
  }
}

// Escapes a text for an XML attribute; removes control characters, which XML does not allow.
std::string xml(const std::string& text) {
  constexpr std::pair<char, const char*> kEscapes[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#10;"}};
  std::string escaped;
  for (const char c : text) {
    const auto* const found = std::ranges::find(kEscapes, c, &std::pair<char, const char*>::first);
    if (found != std::end(kEscapes)) {
      escaped += found->second;
    } else {
      escaped += static_cast<uint8_t>(c) < 0x20 ? '?' : c;
    }
  }
  return escaped;
}

std::string suite_of(const Record& record) { return record.device + (record.variant.empty() ? "" : "." + record.variant); }

std::string junit_case(const Record& record, const Waiver* waiver) {
  const auto text = fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\" time=\"{:.6f}\"", xml(suite_of(record)),
                                xml(record.family), xml(record.name), record.seconds);
  if (record.outcome.verdict == Verdict::kPassed) return text + "/>\n";
  const auto& message = record.outcome.message;
  if (waiver) {
    return fmt::format("{}><skipped message=\"waived until {}: {}; {}\"/></testcase>\n", text, waiver->expires,
                       xml(waiver->reason), xml(message));
  }
  if (record.outcome.verdict == Verdict::kSkipped)
    return fmt::format("{}><skipped message=\"{}\"/></testcase>\n", text, xml(message));
  return fmt::format("{}><failure type=\"{}\" message=\"{}\"/></testcase>\n", text, kind_name(record.outcome.kind), xml(message));
}

std::string junit_properties(const Provenance& provenance) {
  std::string text = "    <properties>\n";
  for (const auto& [group, name, value] : facts(provenance)) {
    text += fmt::format("      <property name=\"{}: {}\" value=\"{}\"/>\n", xml(group), xml(name), xml(value));
  }
  return text + "    </properties>\n";
}

}  // namespace

Summary summarize(const std::vector<Record>& records, const std::vector<Waiver>& waivers) {
  Summary summary;
  std::set<const Waiver*> used;
  for (const auto& record : records) {
    const auto* waiver = covering(waivers, record);
    if (waiver) used.insert(waiver);
    count(summary.totals, record, waiver != nullptr);
    count(summary.families[record.family], record, waiver != nullptr);
    count(summary.types[{record.variant, record.family, record.type}], record, waiver != nullptr);
    if (record.outcome.verdict == Verdict::kSkipped) ++summary.skip_reasons[record.outcome.message];
  }
  for (const auto& waiver : waivers) {
    if (!used.contains(&waiver)) summary.unused.push_back(&waiver);
  }
  return summary;
}

std::string family_table(const Summary& summary) {
  auto text = fmt::format("{:<22} {:>7} {:>7} {:>7} {:>7} {:>8}\n", "family", "passed", "failed", "waived", "skipped", "seconds");
  for (const auto& [family, totals] : summary.families) {
    text += fmt::format("{:<22} {:>7} {:>7} {:>7} {:>7} {:>8.2f}\n", family.empty() ? "(none)" : family, totals.passed,
                        totals.failed, totals.waived, totals.skipped, totals.seconds);
  }
  return text;
}

Status write_junit(const std::filesystem::path& path, const ReportedRun& run) {
  std::map<std::string, std::vector<const Record*>> suites;
  for (const auto& record : run.records) suites[suite_of(record)].push_back(&record);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"nnvk conformance\">\n";
  for (const auto& [name, cases] : suites) {
    Totals totals;
    for (const auto* record : cases) count(totals, *record, covering(run.waivers, *record) != nullptr);
    const Provenance* const provenance = provenance_of(run.provenances, cases.front()->variant);
    const auto started = provenance == nullptr ? "" : provenance->started.substr(0, provenance->started.find('Z'));
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\"{}>\n",
                        xml(name), totals.all(), totals.failed, totals.skipped + totals.waived, totals.seconds,
                        started.empty() ? "" : fmt::format(" timestamp=\"{}\"", started));
    if (provenance != nullptr) text += junit_properties(*provenance);
    for (const auto* record : cases) text += junit_case(*record, covering(run.waivers, *record));
    text += "  </testsuite>\n";
  }
  text += "</testsuites>\n";
  return write_file(path, text);
}

Status write_csv(const std::filesystem::path& path, const ReportedRun& run) {
  std::string text;
  for (const auto& provenance : run.provenances) {
    for (const auto& [group, name, value] : facts(provenance)) {
      std::string line = fmt::format("# {}: {}: {}", group, name, value);
      std::ranges::replace(line, '\n', ' ');
      text += line + "\n";
    }
  }
  text += "case,family,type,device,variant,result,kind,seconds,message\n";
  for (const auto& record : run.records) {
    const bool waived = covering(run.waivers, record) != nullptr;
    text +=
        fmt::format("{},{},{},{},{},{},{},{:.6f},{}\n", csv_field(record.name), record.family, record.type,
                    csv_field(record.device), csv_field(record.variant), waived ? "waived" : verdict_name(record.outcome.verdict),
                    kind_name(record.outcome.kind), record.seconds, csv_field(record.outcome.message));
  }
  return write_file(path, text);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace nnvk::tools::conformance
