// Stock TensorFlow Lite as a program uses it, from a library that is loaded at run time, with nnvk's delegate as a plugin.
#pragma once

#include <tensorflow/lite/c/c_api.h>
#include <tensorflow/lite/c/common.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nnvk::test {

// TensorFlow Lite's C API.
struct TensorFlowLite {
  decltype(&::TfLiteVersion) version;
  decltype(&::TfLiteModelCreate) model_create;
  decltype(&::TfLiteModelDelete) model_delete;
  decltype(&::TfLiteInterpreterOptionsCreate) options_create;
  decltype(&::TfLiteInterpreterOptionsDelete) options_delete;
  decltype(&::TfLiteInterpreterOptionsSetNumThreads) set_threads;
  decltype(&::TfLiteInterpreterOptionsAddDelegate) add_delegate;
  decltype(&::TfLiteInterpreterOptionsSetErrorReporter) set_error_reporter;
  decltype(&::TfLiteInterpreterCreate) interpreter_create;
  decltype(&::TfLiteInterpreterDelete) interpreter_delete;
  decltype(&::TfLiteInterpreterAllocateTensors) allocate;
  decltype(&::TfLiteInterpreterInvoke) invoke;
  decltype(&::TfLiteInterpreterResizeInputTensor) resize;
  decltype(&::TfLiteInterpreterGetInputTensorCount) input_count;
  decltype(&::TfLiteInterpreterGetInputTensor) input;
  decltype(&::TfLiteInterpreterGetOutputTensorCount) output_count;
  decltype(&::TfLiteInterpreterGetOutputTensor) output;
  TfLiteStatus (*reset_variables)(TfLiteInterpreter*);

  // Loads the library once; ends the test program if it is not there.
  static const TensorFlowLite& get();
};

using DelegateOptions = std::vector<std::pair<std::string, std::string>>;

// A delegate of nnvk's library, which is loaded at run time.
class PluginDelegate {
 public:
  explicit PluginDelegate(const DelegateOptions& options);
  ~PluginDelegate();
  PluginDelegate(const PluginDelegate&) = delete;
  PluginDelegate& operator=(const PluginDelegate&) = delete;

  TfLiteDelegate* get() const { return delegate_; }  // null after an error
  static const std::string& last_error();            // of this thread

 private:
  TfLiteDelegate* delegate_ = nullptr;
};

using Bytes = std::vector<uint8_t>;

class StockInterpreter {
 public:
  // `model` holds a .tflite file and must outlive the interpreter. `delegate`: null for TensorFlow Lite's own operators.
  StockInterpreter(const Bytes& model, TfLiteDelegate* delegate, int threads = 2);
  ~StockInterpreter();
  StockInterpreter(const StockInterpreter&) = delete;
  StockInterpreter& operator=(const StockInterpreter&) = delete;

  bool made() const { return interpreter_ != nullptr; }
  bool allocate() { return lite_.allocate(interpreter_) == kTfLiteOk; }
  bool invoke() { return lite_.invoke(interpreter_) == kTfLiteOk; }
  bool resize(int input, const std::vector<int>& shape) {
    return lite_.resize(interpreter_, input, shape.data(), static_cast<int32_t>(shape.size())) == kTfLiteOk;
  }
  bool reset_variables() { return lite_.reset_variables(interpreter_) == kTfLiteOk; }
  int inputs() const { return lite_.input_count(interpreter_); }
  int outputs() const { return lite_.output_count(interpreter_); }
  TfLiteTensor& input(int index) { return *lite_.input(interpreter_, index); }
  const TfLiteTensor& output(int index) { return *lite_.output(interpreter_, index); }
  std::vector<float> floats(int output_index);
  void set_floats(int input_index, const std::vector<float>& values);
  // Its reports, one per line.
  const std::string& errors() const { return errors_; }

 private:
  const TensorFlowLite& lite_ = TensorFlowLite::get();
  TfLiteModel* model_ = nullptr;
  TfLiteInterpreter* interpreter_ = nullptr;
  std::string errors_;
};

// Whether the variable NNVK_TEST_EVERYTHING is set: cases that take minutes on software Vulkan run as well.
bool tests_everything();
// The bytes of a file; empty if it does not exist.
Bytes file_bytes(const std::string& path);
std::vector<int> shape_of(const TfLiteTensor& tensor);

}  // namespace nnvk::test
