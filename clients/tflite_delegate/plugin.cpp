// The two functions that TensorFlow Lite's external delegates have.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "clients/tflite_delegate/delegate.h"

namespace {

using nnvk::clients::tflite::Delegate;
using nnvk::clients::tflite::Setting;

TfLiteDelegate* create(const char* const* keys, const char* const* values, size_t count, std::string& message) {
  std::vector<Setting> settings;
  for (size_t i = 0; i < count; ++i) {
    if (keys[i] == nullptr || values[i] == nullptr) {
      message = "option " + std::to_string(i) + " has no name or no value";
      return nullptr;
    }
    settings.emplace_back(keys[i], values[i]);
  }
  auto delegate = Delegate::make(settings);
  if (!delegate) {
    message = delegate.error().message;
    return nullptr;
  }
  return delegate->release()->interface();
}

}  // namespace

extern "C" {

// Makes a delegate with these options (docs/clients.md). Returns null after an error, whose text goes to `report_error`, or to
// stderr if that is null. The caller owns the delegate, which must outlive the interpreters that use it.
__attribute__((visibility("default"))) TfLiteDelegate* tflite_plugin_create_delegate(const char* const* keys,
                                                                                     const char* const* values, size_t count,
                                                                                     void (*report_error)(const char*)) {
  std::string message;
  TfLiteDelegate* delegate = nullptr;
  try {
    delegate = create(keys, values, count, message);
  } catch (const std::exception& exception) {
    message = exception.what();
  }
  if (delegate != nullptr) return delegate;
  message = "nnvk: " + message;
  if (report_error != nullptr) {
    report_error(message.c_str());
  } else {  // as in TensorFlow Lite's loader for C++
    std::fprintf(stderr, "%s\n", message.c_str());
  }
  return nullptr;
}

// Frees a delegate. Does nothing for null.
__attribute__((visibility("default"))) void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate) {
  if (delegate != nullptr) delete &Delegate::of(*delegate);
}

}  // extern "C"
