#include "clients/onnxruntime_provider/options.h"

#include <string_view>

namespace nnvk::clients::onnxruntime {

importers::ImportOptions import_options(const Options& options) {
  return {.memory = importers::kAnyMemory, .relaxed = options.relaxed};
}

Result<Options> parse_options(std::span<const Setting> settings) {
  Options options;
  const std::string_view prefix = kOptionPrefix;
  for (const auto& [key, value] : settings) {
    if (key == "ep.context_enable") options.makes_context = value == "1";
    if (key.starts_with(prefix)) TOOLS_TRY(set_option(options, std::string_view(key).substr(prefix.size()), value));
  }
  return options;
}

}  // namespace nnvk::clients::onnxruntime
