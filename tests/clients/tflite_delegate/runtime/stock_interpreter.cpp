#include "tests/clients/tflite_delegate/runtime/stock_interpreter.h"

#include <dlfcn.h>

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

const TensorFlowLite& tensorflow_lite() {
  static const TensorFlowLite lite = TensorFlowLite::load(NNVK_TENSORFLOWLITE_C);
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
