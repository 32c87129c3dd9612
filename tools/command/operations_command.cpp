// `nnvk operations`: prints a table of operations, types, devices and variants. A child process computes each column, because the
// library reads the variant only once, when it makes its devices.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "tools/command/child_process.h"
#include "tools/command/command.h"
#include "tools/conformance/support.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

// Asks a device, in a child process that uses this kernel variant, which cases it supports.
Result<conformance::SupportTable> ask(const std::string& spec, const std::string& variant) {
  std::FILE* const file = std::tmpfile();
  if (!file) return fail("cannot make a temporary file");
  const auto body = [&] {
    const auto device = find_device(spec);
    if (!device) return report_error(device.error());
    const auto table = conformance::ask_support(*device);
    if (!table) return report_error(table.error());
    const auto text = to_lines(*table);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
    return written ? kSuccess : report_error({"cannot write the answers"});
  };
  const auto end = run_in_child({{"NNVK_VULKAN_VARIANT", variant}}, body);
  std::string text;
  std::rewind(file);
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, count);
  std::fclose(file);
  if (!end) return tl::unexpected<Error>(end.error());
  if (end->signal != 0 || end->exit_code != 0) return fail(fmt::format("device {} gave no answers", spec));
  return conformance::from_lines(text);
}

Result<std::string> document() {
  std::vector<conformance::SupportColumn> columns{{"CPU", {}}, {"Vulkan texel", {}}, {"Vulkan words", {}}};
  TOOLS_ASSIGN(columns[0].table, ask("nnapi-reference", "texel"));
  TOOLS_ASSIGN(columns[1].table, ask("vulkan", "texel"));
  TOOLS_ASSIGN(columns[2].table, ask("vulkan", "words"));
  return conformance::support_markdown(columns);
}

}  // namespace

int run_operations(const OperationsOptions& options) {
  const auto text = document();
  if (!text) return report_error(text.error(), kNoDevice);
  if (!options.check.empty()) {
    const auto there = read_text_file(options.check);
    if (!there) return report_error(there.error());
    if (*there == *text) return kSuccess;
    return report_error({fmt::format("{} is not what the library says now; write it again with: nnvk operations --output {}",
                                     options.check, options.check)});
  }
  if (options.output.empty()) {
    fmt::print("{}", *text);
    return kSuccess;
  }
  const Status written = write_file(options.output, *text);
  return written ? kSuccess : report_error(written.error());
}

}  // namespace nnvk::tools
