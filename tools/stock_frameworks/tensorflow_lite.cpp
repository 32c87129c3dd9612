#include "tools/stock_frameworks/tensorflow_lite.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>

namespace nnvk::stock {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw RuntimeError(std::string("the library has no function ") + name);
}

}  // namespace

TensorFlowLite TensorFlowLite::load(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw RuntimeError(::dlerror());
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

Interpreter::Interpreter(const TensorFlowLite& lite, const Bytes& model, TfLiteDelegate* delegate, int threads)
    : lite_(lite), model_(lite_.model_create(model.data(), model.size())) {
  if (model_ == nullptr) return;
  TfLiteInterpreterOptions* const options = lite_.options_create();
  lite_.set_threads(options, threads);
  lite_.set_error_reporter(
      options,
      [](void* user_data, const char* format, va_list arguments) {
        char text[4096];
        std::vsnprintf(text, sizeof text, format, arguments);
        static_cast<Interpreter*>(user_data)->errors_ += std::string(text) + "\n";
      },
      this);
  if (delegate != nullptr) lite_.add_delegate(options, delegate);
  interpreter_ = lite_.interpreter_create(model_, options);
  lite_.options_delete(options);
}

Interpreter::~Interpreter() {
  if (interpreter_ != nullptr) lite_.interpreter_delete(interpreter_);
  if (model_ != nullptr) lite_.model_delete(model_);
}

}  // namespace nnvk::stock
