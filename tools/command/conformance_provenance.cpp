// Command lines, environment and date.
#include "tools/command/conformance_provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "tools/command/version.h"
#include "tools/nnapi/shell_word.h"

namespace nnvk::tools {
namespace {

using conformance::Provenance;

// Returns the command that computes the same as these options, without the choice of cases.
std::string command_of(const ConformanceOptions& options, const conformance::Subject& subject) {
  std::string command = "nnvk conformance" + case_sources(options);
  const auto add = [&](const char* name, const std::string& value) { command += fmt::format(" {} {}", name, shell_word(value)); };
  const ConformanceOptions defaults;
  if (options.seed != defaults.seed) add("--seed", std::to_string(options.seed));
  add("--device", subject.device);
  // Behind the variant's name, the subject has the forms of kernels.
  if (!subject.variant.empty()) add("--variant", subject.variant.substr(0, subject.variant.find(' ')));
  if (!options.kernels.empty()) add("--kernels", options.kernels);
  if (options.run.mode != defaults.run.mode) add("--mode", conformance::mode_name(options.run.mode));
  if (options.run.repeat != defaults.run.repeat) add("--repeat", std::to_string(options.run.repeat));
  if (options.case_timeout != defaults.case_timeout) add("--case-timeout", std::to_string(options.case_timeout));
  return command;
}

}  // namespace

std::string case_sources(const ConformanceOptions& options) {
  std::string text;
  if (!options.vectors.empty()) text += " --vectors " + shell_word(options.vectors);
  if (options.against_reference) text += " --against-reference";
  if (options.generated) text += " --generated";
  if (options.random_graphs > 0) text += fmt::format(" --random-graphs {}", options.random_graphs);
  if (options.random_nestings > 0) text += fmt::format(" --random-nestings {}", options.random_nestings);
  return text;
}

std::string relevant_environment() {
  static constexpr std::array<std::string_view, 2> kPrefixes{"NNVK_", "VK_"};
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return text.starts_with(prefix); })) continue;
    const size_t end = text.find('=');
    variables.push_back(std::string(text.substr(0, end + 1)) + shell_word(std::string(text.substr(end + 1))));
  }
  std::ranges::sort(variables);
  std::string line;
  for (const auto& variable : variables) line += (line.empty() ? "" : " ") + variable;
  return line;
}

std::string time_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Result<Provenance> shared_provenance(const ConformanceOptions& options, size_t cases) {
  Provenance provenance{.nnvk = nnvk_version(),
                        .commit = nnvk_commit(),
                        .vectors = options.vectors,
                        .seed = options.seed,
                        .kernels = options.kernels,
                        .cases = cases,
                        .options = options.command_line,
                        .environment = relevant_environment()};
  if (!options.vectors.empty()) {
    TOOLS_ASSIGN(provenance.vectors_digest, conformance::vectors_digest(options.vectors));
  }
  return provenance;
}

void begin_provenance(Provenance& provenance, const ConformanceOptions& options, const Provenance& device) {
  provenance.subject = device.subject;
  provenance.properties = device.properties;
  provenance.command = command_of(options, device.subject);
  provenance.started = time_now();
}

}  // namespace nnvk::tools
