// ONNX Runtime's C API as this provider uses it: its tables, its statuses as our errors and back, owning handles.
#pragma once

#include <onnxruntime_c_api.h>

#include <exception>
#include <memory>
#include <string>

#include "clients/onnxruntime_provider/names.h"

namespace nnvk::clients::onnxruntime {

// The version of the interface that the provider asks for. Newer runtimes have this version as well.
inline constexpr uint32_t kRuntimeApiVersion = 23;

// Takes the tables from the runtime that loads the library. Returns false if the runtime is too old; then only OrtApiBase works.
bool connect(const OrtApiBase& base);
const OrtApi& api();
const OrtEpApi& provider_api();
const std::string& runtime_version();  // "1.23.2"

// Takes ownership of a status and turns it into ours. `what` names the failed action: "reading the inputs".
Status check(OrtStatus* status, const char* what);
OrtStatus* to_status(const Error& error);
inline OrtStatus* to_status(const Status& status) { return status ? nullptr : to_status(status.error()); }

// Calls a function that returns a Status, for an entry point: no exception leaves it.
template <class Function>
OrtStatus* guarded(Function function) {
  try {
    return to_status(function());
  } catch (const std::bad_alloc&) {
    return to_status(Error{"nnvk: out of memory"});
  } catch (const std::exception& exception) {
    return to_status(Error{std::string("nnvk: ") + exception.what()});
  }
}

// An object of the runtime, which the function `kRelease` of its table releases.
template <auto kRelease>
struct Release {
  void operator()(auto* object) const { (api().*kRelease)(object); }
};
template <class T, auto kRelease>
using Handle = std::unique_ptr<T, Release<kRelease>>;

using ShapeHandle = Handle<OrtTensorTypeAndShapeInfo, &OrtApi::ReleaseTensorTypeAndShapeInfo>;
using PairsHandle = Handle<OrtKeyValuePairs, &OrtApi::ReleaseKeyValuePairs>;
using AttributeHandle = Handle<OrtOpAttr, &OrtApi::ReleaseOpAttr>;

// Writes a line to a log of the runtime; without a log, does nothing.
void log_line(const OrtLogger* logger, OrtLoggingLevel level, const std::string& text);

}  // namespace nnvk::clients::onnxruntime
