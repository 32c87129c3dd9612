// Reading and applying waivers.
#include "tools/conformance/waivers.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "tools/conformance/case_list.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools::conformance {
namespace {

bool is_date(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  char rest = 0;
  if (text.size() != 10 || std::sscanf(text.c_str(), "%4d-%2u-%2u%c", &year, &month, &day, &rest) != 3) return false;
  return std::chrono::year_month_day{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}}.ok();
}

}  // namespace

Result<std::vector<Waiver>> read_waivers(const std::filesystem::path& path, const std::string& today) {
  TOOLS_ASSIGN(const std::string text, read_text_file(path));
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_array()) return fail(fmt::format("{}: the file must be a JSON array of waivers", path.string()));
  std::vector<Waiver> waivers;
  std::string expired;
  for (size_t i = 0; i < document.size(); ++i) {
    const auto problem = [&](const std::string& what) { return fail(fmt::format("{}: waiver {}: {}", path.string(), i, what)); };
    const auto& entry = document[i];
    const auto strings = [](const nlohmann::json& value) { return value.is_string(); };
    if (!entry.is_object() || !std::ranges::all_of(entry, strings)) return problem("it must be an object of texts");
    const Waiver waiver{entry.value("case", ""), entry.value("device", ""), entry.value("variant", ""), entry.value("reason", ""),
                        entry.value("expires", "")};
    if (waiver.pattern.empty()) return problem("\"case\" is missing");
    if (waiver.reason.empty()) return problem("\"reason\" is missing: say why the failure is accepted");
    if (!is_date(waiver.expires)) return problem("\"expires\" must be a date such as 2027-06-30");
    if (waiver.expires < today) expired += fmt::format("; {} ({}) on {}", waiver.pattern, waiver.reason, waiver.expires);
    waivers.push_back(waiver);
  }
  if (!expired.empty()) return fail(fmt::format("{}: waivers have expired: {}", path.string(), expired.substr(2)));
  return waivers;
}

const Waiver* covering(const std::vector<Waiver>& waivers, const Record& record) {
  if (record.outcome.verdict != Verdict::kFailed || record.outcome.kind == FailureKind::kCrashed) return nullptr;
  const auto plain = record.name.substr(record.name.rfind('.') + 1);
  for (const auto& waiver : waivers) {
    if (!waiver.device.empty() && fnmatch(waiver.device.c_str(), record.device.c_str(), 0) != 0) continue;
    if (!waiver.variant.empty() && waiver.variant != record.variant) continue;
    if (matches(waiver.pattern, record.name, plain)) return &waiver;
  }
  return nullptr;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace nnvk::tools::conformance
