// Importing and compiling.
#include "tools/command/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace nnvk::tools {
namespace {

std::vector<OperandInfo> infos(const std::vector<tflite::Port>& ports) {
  std::vector<OperandInfo> result;
  for (const auto& port : ports) result.push_back(port.info);
  return result;
}

}  // namespace

Result<LoadedModel> load_model(const std::string& path, const std::string& device) {
  TOOLS_ASSIGN(auto chosen, find_device(device));
  TOOLS_ASSIGN(auto model, tflite::import_file(path));
  TOOLS_ASSIGN(auto session,
               Session::compile(model.builder, chosen, infos(model.inputs), infos(model.outputs), model.operation_origins));
  return LoadedModel{std::move(chosen), std::move(model), std::move(session)};
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace nnvk::tools
