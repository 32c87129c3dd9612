// `nnvk operations`: prints a table of operations, types, devices and variants. A child process computes each column, because the
// library reads the variant only once, when it makes its devices.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/command/child_process.h"
#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/progress.h"
#include "tools/conformance/support.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"

using nlohmann::ordered_json;

namespace nnvk::tools {
namespace {

// Asks a device, in a child process that uses this kernel variant, which cases it supports.
Result<conformance::SupportTable> ask(const std::string& spec, const std::string& variant, Progress& progress) {
  const auto body = [&](int channel) {
    const auto device = find_device(spec);
    const auto table = device ? conformance::ask_support(*device) : tl::unexpected(device.error());
    write_to_channel(channel, table ? to_lines(*table) : table.error().message);
    return static_cast<int>(table ? kSuccess : device ? kFailure : kNoDevice);
  };
  TOOLS_ASSIGN(const Answer answer, ask_child({{"NNVK_VULKAN_VARIANT", variant}}, body, std::chrono::hours(1), [&] {
                 progress.update(0, spec + " " + variant);
                 return false;
               }));
  const ChildEnd& end = answer.end;
  if (end.signal != 0)
    return fail(fmt::format("device {} gave no answers: its process ended with {}", spec, conformance::to_text(end)));
  if (end.exit_code != 0) return fail(answer.text, end.exit_code == kNoDevice ? ANEURALNETWORKS_UNAVAILABLE_DEVICE : 0);
  return conformance::from_lines(answer.text);
}

Result<std::vector<conformance::SupportColumn>> ask_all() {
  std::vector<conformance::SupportColumn> columns{{"CPU", {}}, {"Vulkan texel", {}}, {"Vulkan words", {}}};
  Progress progress("asking devices", Progress::kUnknown, Beat::kUpdates);
  TOOLS_ASSIGN(columns[0].table, ask("nnapi-reference", "texel", progress));
  TOOLS_ASSIGN(columns[1].table, ask("vulkan", "texel", progress));
  TOOLS_ASSIGN(columns[2].table, ask("vulkan", "words", progress));
  return columns;
}

// Lists each combination of types with the number of cases, and of those that each column supports.
ordered_json to_json(const std::vector<conformance::SupportColumn>& columns) {
  std::map<conformance::TypeCombination, ordered_json> combinations;
  for (const auto& column : columns) {
    for (const auto& [combination, support] : column.table) {
      combinations[combination][column.title] = {{"supported", support.supported}, {"cases", support.cases}};
    }
  }
  ordered_json json{{"operations", ordered_json::array()}};
  for (auto& [combination, support] : combinations) {
    json["operations"].push_back(
        {{"name", operation_name(combination.operation)}, {"types", combination.types}, {"support", std::move(support)}});
  }
  return json;
}

}  // namespace

int run_operations(const OperationsOptions& options) {
  const auto columns = ask_all();
  if (!columns) return report_error(columns.error());
  if (options.json) {
    print_json(to_json(*columns));
    return kSuccess;
  }
  const std::string text = conformance::support_markdown(*columns);
  if (!options.check.empty()) {
    const auto there = read_text_file(options.check);
    if (!there) return report_error(there.error());
    if (*there == text) return kSuccess;
    return report_error({fmt::format("{} is not what the library says now; write it again with: nnvk operations --output {}",
                                     options.check, options.check)});
  }
  if (options.output.empty()) {
    fmt::print("{}", text);
    return kSuccess;
  }
  const Status written = write_file(options.output, text);
  return written ? kSuccess : report_error(written.error());
}

}  // namespace nnvk::tools
