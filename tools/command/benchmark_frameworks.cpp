// Engines of ONNX Runtime and of TensorFlow Lite. The frameworks' wrappers throw; nothing leaves this file but errors as values.
#include "tools/command/benchmark_frameworks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "importers/edges.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/values.h"
#ifdef NNVK_HAS_ONNXRUNTIME
#include "tools/stock_frameworks/onnx_runtime.h"
#endif
#ifdef NNVK_HAS_TENSORFLOW_LITE
#include "tools/stock_frameworks/tensorflow_lite.h"
#endif

namespace nnvk::tools {

namespace {

#if defined(NNVK_HAS_ONNXRUNTIME) || defined(NNVK_HAS_TENSORFLOW_LITE)
// Returns the numbers of an output in the type of the file: INT64 where `port` is wide. An error if there are more or fewer.
Result<std::vector<float>> reals_of_file_type(std::span<const uint8_t> bytes, const importers::Port& port) {
  const uint64_t expected = importers::framework_bytes(port);
  if (bytes.size() != expected) {
    return fail(fmt::format("the framework's output '{}' has {} bytes, not the {} of {}", port.name, bytes.size(), expected,
                            to_string(port.info)));
  }
  if (!port.wide) return decode(bytes, port.info);
  std::vector<float> reals(bytes.size() / sizeof(int64_t));
  for (size_t i = 0; i < reals.size(); ++i) {
    int64_t value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    reals[i] = static_cast<float>(value);
  }
  return reals;
}

// Returns the value of a function that may throw.
template <class Function>
auto caught(const std::string& framework, const Function& function) -> Result<decltype(function())> {
  try {
    return function();
  } catch (const std::exception& error) {
    return fail(fmt::format("{}: {}", framework, error.what()));
  }
}
#endif

#if !defined(NNVK_HAS_ONNXRUNTIME) || !defined(NNVK_HAS_TENSORFLOW_LITE)
tl::unexpected<Error> not_built(const char* framework) {
  return fail(
      fmt::format("this nnvk was built without {0}: its headers were missing (`tools/setup --with-frameworks` fetches "
                  "them, then build again)",
                  framework));
}
#endif

}  // namespace

#ifdef NNVK_HAS_ONNXRUNTIME
namespace {

ONNXTensorElementDataType element_type(const importers::Port& port) {
  if (port.wide) return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
  switch (port.info.type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;
    case ANEURALNETWORKS_TENSOR_INT32:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8;
    case ANEURALNETWORKS_TENSOR_BOOL8:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;
    default:
      throw stock::RuntimeError("the input '" + port.name + "' has a type that the benchmark does not give");
  }
}

class OnnxLane final : public Lane {
 public:
  OnnxLane(const stock::StockRuntime& runtime, const stock::Session& session, const importers::ImportedModel& model)
      : runtime_(runtime), session_(session), model_(model) {}

  Status set_inputs(const Buffers& inputs) override {
    return caught("ONNX Runtime",
                  [&] {
                    run_.reset();
                    tensors_.clear();
                    for (size_t i = 0; i < inputs.size(); ++i) {
                      const auto& port = model_.inputs[i];
                      std::vector<int64_t> shape;
                      if (!port.scalar) shape.assign(port.info.dimensions.begin(), port.info.dimensions.end());
                      tensors_[port.name] =
                          stock::Tensor::of(element_type(port), shape, importers::in_framework_type(inputs[i], port));
                    }
                    run_ = std::make_unique<stock::BoundRun>(runtime_, session_, tensors_);
                    return true;
                  })
        .map([](bool) {});
  }
  Status run() override {
    return caught("ONNX Runtime",
                  [&] {
                    (*run_)();
                    return true;
                  })
        .map([](bool) {});
  }
  Result<Reals> outputs() override {
    TOOLS_ASSIGN(const auto tensors, caught("ONNX Runtime", [&] { return session_.run(tensors_); }));
    Reals reals;
    for (size_t i = 0; i < model_.outputs.size() && i < tensors.size(); ++i) {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(tensors[i].bytes.data());
      TOOLS_ASSIGN(auto output, reals_of_file_type({bytes, tensors[i].bytes.size()}, model_.outputs[i]));
      reals.push_back(std::move(output));
    }
    return reals;
  }

 private:
  const stock::StockRuntime& runtime_;
  const stock::Session& session_;
  const importers::ImportedModel& model_;
  stock::NamedTensors tensors_;
  std::unique_ptr<stock::BoundRun> run_;
};

class OnnxEngine final : public Engine {
 public:
  OnnxEngine(const std::string& library, const importers::ImportedModel& model, const EngineSettings& settings)
      : model_(model), runtime_(library), session_(runtime_.session_of_file(settings.file.string(), nullptr, settings.threads)) {}

  Result<std::unique_ptr<Lane>> lane() override { return std::make_unique<OnnxLane>(runtime_, *session_, model_); }
  Result<std::vector<ProfiledNode>> profile(const Buffers& /*inputs*/) override { return std::vector<ProfiledNode>(); }

 private:
  const importers::ImportedModel& model_;
  stock::StockRuntime runtime_;
  std::unique_ptr<stock::Session> session_;
};

}  // namespace

Result<std::string> onnx_runtime_version(const std::string& library) {
  return caught("ONNX Runtime", [&] { return stock::StockRuntime(library).version(); });
}

Result<std::unique_ptr<Engine>> make_onnx_runtime_engine(const std::string& library, const importers::ImportedModel& model,
                                                         const EngineSettings& settings) {
  return caught("ONNX Runtime", [&] { return std::unique_ptr<Engine>(std::make_unique<OnnxEngine>(library, model, settings)); });
}
#else
Result<std::string> onnx_runtime_version(const std::string& /*library*/) { return not_built("ONNX Runtime"); }
Result<std::unique_ptr<Engine>> make_onnx_runtime_engine(const std::string& /*library*/,
                                                         const importers::ImportedModel& /*model*/,
                                                         const EngineSettings& /*settings*/) {
  return not_built("ONNX Runtime");
}
#endif

#ifdef NNVK_HAS_TENSORFLOW_LITE
namespace {

class LiteLane final : public Lane {
 public:
  LiteLane(std::unique_ptr<stock::Interpreter> interpreter, const importers::ImportedModel& model)
      : interpreter_(std::move(interpreter)), model_(model) {}

  Status set_inputs(const Buffers& inputs) override {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto bytes = importers::in_framework_type(inputs[i], model_.inputs[i]);
      TfLiteTensor& tensor = interpreter_->input(static_cast<int>(i));
      if (tensor.bytes != bytes.size()) {
        return fail(fmt::format("TensorFlow Lite: input {} has {} bytes, not {}", i, tensor.bytes, bytes.size()));
      }
      std::memcpy(tensor.data.raw, bytes.data(), bytes.size());
    }
    return {};
  }
  Status run() override {
    if (interpreter_->invoke()) return {};
    return fail("TensorFlow Lite: " + interpreter_->errors());
  }
  Result<Reals> outputs() override {
    TOOLS_TRY(run());
    Reals reals;
    for (size_t i = 0; i < model_.outputs.size() && i < static_cast<size_t>(interpreter_->outputs()); ++i) {
      const TfLiteTensor& tensor = interpreter_->output(static_cast<int>(i));
      const auto* const bytes = reinterpret_cast<const uint8_t*>(tensor.data.raw_const);
      TOOLS_ASSIGN(auto output, reals_of_file_type({bytes, tensor.bytes}, model_.outputs[i]));
      reals.push_back(std::move(output));
    }
    return reals;
  }

 private:
  std::unique_ptr<stock::Interpreter> interpreter_;
  const importers::ImportedModel& model_;
};

// An engine of TensorFlow Lite. An interpreter runs one execution at a time, so each lane has its own.
class LiteEngine final : public Engine {
 public:
  LiteEngine(const std::string& library, const importers::ImportedModel& model, const EngineSettings& settings)
      : model_(model), lite_(stock::TensorFlowLite::load(library)), threads_(settings.threads), file_(*model.file) {
    first_ = interpreter();
  }

  Result<std::unique_ptr<Lane>> lane() override {
    return caught("TensorFlow Lite", [&] {
      auto own = first_ != nullptr ? std::move(first_) : interpreter();
      return std::unique_ptr<Lane>(std::make_unique<LiteLane>(std::move(own), model_));
    });
  }
  Result<std::vector<ProfiledNode>> profile(const Buffers& /*inputs*/) override { return std::vector<ProfiledNode>(); }

 private:
  std::unique_ptr<stock::Interpreter> interpreter() const {
    auto made = std::make_unique<stock::Interpreter>(lite_, file_, nullptr, threads_);
    if (!made->made() || !made->allocate()) throw stock::RuntimeError("cannot load the model: " + made->errors());
    return made;
  }

  const importers::ImportedModel& model_;
  const stock::TensorFlowLite lite_;
  const int threads_;
  const std::vector<uint8_t>& file_;
  std::unique_ptr<stock::Interpreter> first_;
};

}  // namespace

Result<std::string> tensorflow_lite_version(const std::string& library) {
  return caught("TensorFlow Lite", [&] { return std::string(stock::TensorFlowLite::load(library).version()); });
}

Result<std::unique_ptr<Engine>> make_tensorflow_lite_engine(const std::string& library, const importers::ImportedModel& model,
                                                            const EngineSettings& settings) {
  return caught("TensorFlow Lite",
                [&] { return std::unique_ptr<Engine>(std::make_unique<LiteEngine>(library, model, settings)); });
}
#else
Result<std::string> tensorflow_lite_version(const std::string& /*library*/) { return not_built("TensorFlow Lite"); }
Result<std::unique_ptr<Engine>> make_tensorflow_lite_engine(const std::string& /*library*/,
                                                            const importers::ImportedModel& /*model*/,
                                                            const EngineSettings& /*settings*/) {
  return not_built("TensorFlow Lite");
}
#endif

}  // namespace nnvk::tools
