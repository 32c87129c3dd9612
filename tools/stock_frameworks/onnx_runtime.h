// Stock ONNX Runtime, loaded from its library as a C program does it, alone or with nnvk's provider registered.
#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tools/stock_frameworks/runtime_error.h"

namespace nnvk::stock {

// A tensor in the memory of the program.
struct Tensor {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  template <class Element>
  static Tensor of(ONNXTensorElementDataType type, std::vector<int64_t> shape, const std::vector<Element>& values) {
    Tensor tensor{type, std::move(shape), {}};
    const auto* const begin = reinterpret_cast<const std::byte*>(values.data());
    tensor.bytes.assign(begin, begin + values.size() * sizeof(Element));
    return tensor;
  }
  static Tensor floats(std::vector<int64_t> shape, const std::vector<float>& values) {
    return of(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, std::move(shape), values);
  }
  template <class Element>
  std::vector<Element> values() const {
    const auto* const begin = reinterpret_cast<const Element*>(bytes.data());
    return {begin, begin + bytes.size() / sizeof(Element)};
  }
};

using NamedTensors = std::map<std::string, Tensor>;
using ProviderOptions = std::map<std::string, std::string>;

class Session;

// The library and one environment. Collects what the runtime logs as warnings or worse.
class StockRuntime {
 public:
  // Loads the library. `library`: the path of libonnxruntime.so.1. Throws RuntimeError.
  explicit StockRuntime(const std::string& library);
  ~StockRuntime();
  StockRuntime(const StockRuntime&) = delete;
  StockRuntime& operator=(const StockRuntime&) = delete;

  void register_provider(const std::string& path);
  void unregister_provider();
  // Returns the devices of nnvk that the runtime offers, by nnvk's names.
  std::vector<std::string> device_names() const;

  // Makes a session of the model with nnvk in front, on its first device; without `options` one of the runtime alone. `settings`:
  // entries of the session's own configuration.
  std::unique_ptr<Session> session(const std::string& model, const ProviderOptions* options, int threads = 1,
                                   const ProviderOptions& settings = {}) const;
  // Makes a session of a file, which the runtime reads itself.
  std::unique_ptr<Session> session_of_file(const std::string& path, const ProviderOptions* options, int threads = 1) const;

  std::string take_log();
  std::string version() const { return version_; }

  const OrtApi& api() const { return *api_; }
  OrtEnv* environment() const { return environment_; }
  // Throws a status as RuntimeError and frees it.
  void check(OrtStatus* status) const;

 private:
  using SessionOptions = std::unique_ptr<OrtSessionOptions, void (*)(OrtSessionOptions*)>;

  std::vector<const OrtEpDevice*> devices() const;
  SessionOptions session_options(const ProviderOptions* options, int threads, const ProviderOptions& settings) const;

  void* library_ = nullptr;
  const OrtApi* api_ = nullptr;
  OrtEnv* environment_ = nullptr;
  std::string version_;
  std::mutex mutex_;
  std::string log_;
};

class Session {
 public:
  Session(const StockRuntime& runtime, OrtSession* session) : runtime_(runtime), session_(session) {}
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Runs the model and returns all outputs, in order. Any number of threads may call this.
  std::vector<Tensor> run(const NamedTensors& inputs) const;
  OrtSession* get() const { return session_; }
  size_t output_count() const;
  std::string output_name(size_t index) const;

 private:
  const StockRuntime& runtime_;
  OrtSession* const session_;
};

// A run with the same inputs again and again, whose values are made once.
class BoundRun {
 public:
  // `inputs` must outlive the run.
  BoundRun(const StockRuntime& runtime, const Session& session, const NamedTensors& inputs);
  ~BoundRun();
  BoundRun(const BoundRun&) = delete;
  BoundRun& operator=(const BoundRun&) = delete;

  // Runs the model and drops its outputs.
  void operator()() const;

 private:
  const StockRuntime& runtime_;
  const Session& session_;
  std::vector<const char*> input_names_;
  std::vector<OrtValue*> inputs_;
  std::vector<std::string> names_;
  std::vector<const char*> output_names_;
};

}  // namespace nnvk::stock
