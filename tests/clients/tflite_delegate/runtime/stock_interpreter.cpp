#include "tests/clients/tflite_delegate/runtime/stock_interpreter.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace nnvk::test {
namespace {

void* library(const char* path) {
  void* const handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::abort();
  }
  return handle;
}

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  if (function != nullptr) return;
  std::fprintf(stderr, "%s is missing\n", name);
  std::abort();
}

TensorFlowLite load() {
  void* const handle = library(NNVK_TENSORFLOWLITE_C);
  TensorFlowLite lite{};
  find(handle, "TfLiteVersion", lite.version);
  find(handle, "TfLiteModelCreate", lite.model_create);
  find(handle, "TfLiteModelDelete", lite.model_delete);
  find(handle, "TfLiteInterpreterOptionsCreate", lite.options_create);
  find(handle, "TfLiteInterpreterOptionsDelete", lite.options_delete);
  find(handle, "TfLiteInterpreterOptionsSetNumThreads", lite.set_threads);
  find(handle, "TfLiteInterpreterOptionsAddDelegate", lite.add_delegate);
  find(handle, "TfLiteInterpreterOptionsSetErrorReporter", lite.set_error_reporter);
  find(handle, "TfLiteInterpreterCreate", lite.interpreter_create);
  find(handle, "TfLiteInterpreterDelete", lite.interpreter_delete);
  find(handle, "TfLiteInterpreterAllocateTensors", lite.allocate);
  find(handle, "TfLiteInterpreterInvoke", lite.invoke);
  find(handle, "TfLiteInterpreterResizeInputTensor", lite.resize);
  find(handle, "TfLiteInterpreterGetInputTensorCount", lite.input_count);
  find(handle, "TfLiteInterpreterGetInputTensor", lite.input);
  find(handle, "TfLiteInterpreterGetOutputTensorCount", lite.output_count);
  find(handle, "TfLiteInterpreterGetOutputTensor", lite.output);
  find(handle, "TfLiteInterpreterResetVariableTensors", lite.reset_variables);
  return lite;
}

thread_local std::string plugin_error;

struct Plugin {
  TfLiteDelegate* (*create)(const char* const*, const char* const*, size_t, void (*)(const char*));
  void (*destroy)(TfLiteDelegate*);
};

const Plugin& plugin() {
  static const Plugin loaded = [] {
    void* const handle = library(NNVK_TFLITE_DELEGATE);
    Plugin found{};
    find(handle, "tflite_plugin_create_delegate", found.create);
    find(handle, "tflite_plugin_destroy_delegate", found.destroy);
    return found;
  }();
  return loaded;
}

}  // namespace

const TensorFlowLite& TensorFlowLite::get() {
  static const TensorFlowLite lite = load();
  return lite;
}

PluginDelegate::PluginDelegate(const DelegateOptions& options) {
  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  plugin_error.clear();
  delegate_ = plugin().create(keys.data(), values.data(), keys.size(), [](const char* text) { plugin_error = text; });
}

PluginDelegate::~PluginDelegate() { plugin().destroy(delegate_); }

const std::string& PluginDelegate::last_error() { return plugin_error; }

StockInterpreter::StockInterpreter(const Bytes& model, TfLiteDelegate* delegate, int threads)
    : model_(lite_.model_create(model.data(), model.size())) {
  if (model_ == nullptr) return;
  TfLiteInterpreterOptions* const options = lite_.options_create();
  lite_.set_threads(options, threads);
  lite_.set_error_reporter(
      options,
      [](void* user_data, const char* format, va_list arguments) {
        char text[4096];
        std::vsnprintf(text, sizeof text, format, arguments);
        static_cast<StockInterpreter*>(user_data)->errors_ += std::string(text) + "\n";
      },
      this);
  if (delegate != nullptr) lite_.add_delegate(options, delegate);
  interpreter_ = lite_.interpreter_create(model_, options);
  lite_.options_delete(options);
}

StockInterpreter::~StockInterpreter() {
  if (interpreter_ != nullptr) lite_.interpreter_delete(interpreter_);
  if (model_ != nullptr) lite_.model_delete(model_);
}

std::vector<float> StockInterpreter::floats(int output_index) {
  const TfLiteTensor& tensor = output(output_index);
  return {tensor.data.f, tensor.data.f + tensor.bytes / sizeof(float)};
}

void StockInterpreter::set_floats(int input_index, const std::vector<float>& values) {
  TfLiteTensor& tensor = input(input_index);
  std::memcpy(tensor.data.raw, values.data(), std::min(tensor.bytes, values.size() * sizeof(float)));
}

bool tests_everything() { return std::getenv("NNVK_TEST_EVERYTHING") != nullptr; }

Bytes file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<int> shape_of(const TfLiteTensor& tensor) { return {tensor.dims->data, tensor.dims->data + tensor.dims->size}; }

}  // namespace nnvk::test
