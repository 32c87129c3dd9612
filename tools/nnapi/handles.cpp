// Result codes as errors.
#include "tools/nnapi/handles.h"

#include "tools/nnapi/names.h"

namespace nnvk::tools {

Status check(int result, std::string_view what) {
  if (result == ANEURALNETWORKS_NO_ERROR) return {};
  std::string message = std::string(what) + " failed with " + result_name(result);
  const std::string detail = nnvk_lastError();
  if (!detail.empty()) message += ": " + detail;
  return fail(std::move(message), result);
}

std::string take_json(char* json) {
  std::string text = json ? json : "";
  nnvk_freeString(json);
  return text;
}

}  // namespace nnvk::tools
