#include "clients/onnxruntime_provider/runtime_api.h"

namespace nnvk::clients::onnxruntime {
namespace {

// All sessions of the process use the same table: a process has one ONNX Runtime that loads this library.
const OrtApi* table = nullptr;
const OrtEpApi* provider_table = nullptr;
std::string version;

}  // namespace

bool connect(const OrtApiBase& base) {
  table = base.GetApi(kRuntimeApiVersion);
  version = base.GetVersionString();
  provider_table = table == nullptr ? nullptr : table->GetEpApi();
  return provider_table != nullptr;
}

const OrtApi& api() { return *table; }
const OrtEpApi& provider_api() { return *provider_table; }
const std::string& runtime_version() { return version; }

Status check(OrtStatus* status, const char* what) {
  if (status == nullptr) return {};
  std::string text = std::string(what) + ": " + api().GetErrorMessage(status);
  api().ReleaseStatus(status);
  return fail(std::move(text));
}

OrtStatus* to_status(const Error& error) { return api().CreateStatus(ORT_FAIL, error.message.c_str()); }

void log_line(const OrtLogger* logger, OrtLoggingLevel level, const std::string& text) {
  if (logger == nullptr) return;
  if (OrtStatus* const status = api().Logger_LogMessage(logger, level, text.c_str(), __FILE__, __LINE__, "nnvk")) {
    api().ReleaseStatus(status);
  }
}

}  // namespace nnvk::clients::onnxruntime
