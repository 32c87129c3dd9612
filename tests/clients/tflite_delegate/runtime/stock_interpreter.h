// Stock TensorFlow Lite with nnvk's delegate as a plugin.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/stock_frameworks/tensorflow_lite.h"

namespace nnvk::test {

using stock::Bytes;
using stock::TensorFlowLite;

// The library that the tests are built for, loaded once.
const TensorFlowLite& tensorflow_lite();

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

class StockInterpreter : public stock::Interpreter {
 public:
  StockInterpreter(const Bytes& model, TfLiteDelegate* delegate, int threads = 2)
      : Interpreter(tensorflow_lite(), model, delegate, threads) {}

  std::vector<float> floats(int output_index);
  void set_floats(int input_index, const std::vector<float>& values);
};

// Whether the variable NNVK_TEST_EVERYTHING is set: cases that take minutes on software Vulkan run as well.
bool tests_everything();
// The bytes of a file; empty if it does not exist.
Bytes file_bytes(const std::string& path);
std::vector<int> shape_of(const TfLiteTensor& tensor);

}  // namespace nnvk::test
