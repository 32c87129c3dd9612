// Stock TensorFlow Lite as a program uses it, from a library that is loaded at run time.
#pragma once

#include <tensorflow/lite/c/c_api.h>
#include <tensorflow/lite/c/common.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tools/stock_frameworks/runtime_error.h"

namespace nnvk::stock {

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

  // Loads the library, which stays loaded. Throws RuntimeError.
  static TensorFlowLite load(const std::string& library);
};

using Bytes = std::vector<uint8_t>;

class Interpreter {
 public:
  // `lite` and `model`, which holds a .tflite file, must outlive the interpreter. `delegate`: null for TensorFlow Lite's own
  // operators.
  Interpreter(const TensorFlowLite& lite, const Bytes& model, TfLiteDelegate* delegate, int threads);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

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
  const TfLiteTensor& output(int index) const { return *lite_.output(interpreter_, index); }
  // Returns the interpreter's reports, one per line.
  const std::string& errors() const { return errors_; }

 private:
  const TensorFlowLite& lite_;
  TfLiteModel* model_ = nullptr;
  TfLiteInterpreter* interpreter_ = nullptr;
  std::string errors_;
};

}  // namespace nnvk::stock
