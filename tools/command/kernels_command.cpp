// `nnvk kernels`: lists a model's kernels on a device, their reasons, and the driver's compiler statistics; executes nothing.
#include <fmt/format.h>

#include <iterator>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/kernel_list.h"
#include "tools/command/kernel_registry.h"
#include "tools/command/model_file.h"
#include "tools/command/progress.h"
#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/files.h"

using nlohmann::ordered_json;

namespace nnvk::tools {
namespace {

constexpr const char* kWhyFirst = "the first physical device of the Vulkan drivers";

// Returns the request to nnvk_listKernels().
Result<ordered_json> request_for(const KernelsOptions& options) {
  ordered_json request = ordered_json::object();
  if (!options.variant.empty()) request["variant"] = options.variant;
  if (!options.device.ends_with(".json")) {
    request["device"] = options.device;
    return request;
  }
  TOOLS_ASSIGN(const std::string text, read_text_file(options.device));
  request["snapshot"] = ordered_json::parse(text, nullptr, false);
  if (!request["snapshot"].is_object()) return fail(options.device + " is not a snapshot of `nnvk devices --snapshot`");
  return request;
}

Result<KernelList> list_model(const KernelsOptions& options, const ordered_json& request) {
  TOOLS_ASSIGN(const auto model, import_model_file(options.model, {.memory = options.memory}));
  const Progress progress("compiling kernels", Progress::kUnknown);
  TOOLS_ASSIGN(const auto answer, list_kernels(model.builder.model(), request));
  KernelCollector collector;
  collector.add(answer);
  KernelList list = collector.take();
  list.source = options.model;
  list.device = answer.at("device");
  return list;
}

int compare_files(const KernelsOptions& options) {
  std::vector<KernelList> lists;
  for (const std::string& file : options.compare) {
    const auto text = read_text_file(file);
    if (!text) return report_error(text.error());
    auto list = kernel_list_from_json(*text, file);
    if (!list) return report_error(list.error());
    lists.push_back(*std::move(list));
  }
  const KernelComparison comparison = compare(lists[0], lists[1]);
  fmt::print("{}", options.json ? json_text(to_json(comparison)) : to_text(comparison));
  return kSuccess;
}

}  // namespace

int run_kernels(const KernelsOptions& options) {
  if (!options.compare.empty()) return compare_files(options);
  const auto request = request_for(options);
  if (!request) return report_error(request.error());
  const auto list = options.registry ? list_registry(*request, {.threads = options.threads, .resume = options.resume})
                                     : list_model(options, *request);
  if (!list) return report_error(list.error());
  const bool is_librarys = options.device.empty();
  if (is_librarys) report_note(fmt::format("device {} ({})", list->device.value("name", ""), kWhyFirst));
  if (options.json) {
    ordered_json document = to_json(*list);
    document["choice"] = {{"by", is_librarys ? "library" : "user"}};
    if (is_librarys) document["choice"]["reason"] = kWhyFirst;
    print_json(std::move(document));
  } else {
    fmt::print("{}", to_text(*list));
  }
  return kSuccess;
}

}  // namespace nnvk::tools
