// A model, its compilation and its buffers, built through the C API. A failure ends the program with a message, because a
// benchmark cannot continue usefully.
#pragma once

#include <android/NeuralNetworks.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nnvk::perf {

// Ends the program unless `result` is NO_ERROR. `what` names the call.
void require(int result, const char* what);
// Waits for the event and frees it.
void finish_event(ANeuralNetworksEvent* event);

struct Device {
  const ANeuralNetworksDevice* handle = nullptr;
  std::string name;
};
// All devices of the runtime.
std::vector<Device> devices();

// An element type with the quantization that benchmarks use for it.
struct ElementType {
  const char* name;
  int32_t tensor_code;
  size_t bytes;
  float scale;
  int32_t zero_point;
};
inline constexpr ElementType kFloat32 = {"float32", ANEURALNETWORKS_TENSOR_FLOAT32, 4, 0.0F, 0};
inline constexpr ElementType kQuant8 = {"quant8", ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, 0.5F, 128};

// Operands are numbered in the order in which they are added.
class ModelBuilder {
 public:
  ModelBuilder();
  ~ModelBuilder();
  ModelBuilder(const ModelBuilder&) = delete;
  ModelBuilder& operator=(const ModelBuilder&) = delete;

  uint32_t input(const ElementType& type, std::vector<uint32_t> dims);
  uint32_t output(const ElementType& type, std::vector<uint32_t> dims);
  uint32_t temporary(const ElementType& type, const std::vector<uint32_t>& dims);
  // A tensor of values that repeat and are of moderate size.
  uint32_t weights(const ElementType& type, std::vector<uint32_t> dims);
  uint32_t values(std::vector<uint32_t> dims, const std::vector<float>& values);
  // Zeros: FLOAT32, or INT32 with `bias_scale` for quantized types.
  uint32_t bias(const ElementType& type, uint32_t count, float bias_scale);
  uint32_t scalar(int32_t value);
  uint32_t number(float value);
  uint32_t flag(bool value);
  uint32_t indices(const std::vector<int32_t>& values);
  uint32_t omitted(const ElementType& type);
  void operation(ANeuralNetworksOperationType type, const std::vector<uint32_t>& inputs, uint32_t output);

 private:
  friend class CompiledModel;
  uint32_t add(int32_t code, const std::vector<uint32_t>& dims, float scale, int32_t zero_point);
  uint32_t constant(uint32_t operand, std::vector<std::byte> bytes);

  ANeuralNetworksModel* model_ = nullptr;
  uint32_t operand_count_ = 0;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> outputs_;
  size_t operation_count_ = 0;
  std::vector<size_t> input_bytes_;
  std::vector<size_t> output_bytes_;
  std::vector<std::vector<std::byte>> constants_;  // NNAPI keeps pointers to large ones until finish
};

class CompiledModel {
 public:
  // Takes the model out of the builder. Check supported() before use.
  CompiledModel(ModelBuilder& builder, std::span<const Device> devices);
  CompiledModel(ModelBuilder& builder, const Device& device) : CompiledModel(builder, {&device, 1}) {}
  ~CompiledModel();
  CompiledModel(const CompiledModel&) = delete;
  CompiledModel& operator=(const CompiledModel&) = delete;

  // Whether the devices together run the whole model.
  bool supported() const { return compilation_ != nullptr; }
  const ANeuralNetworksCompilation* compilation() const { return compilation_; }
  // A new execution with inputs and outputs bound to this model's buffers.
  ANeuralNetworksExecution* execution(bool reusable);
  // An execution with nothing bound.
  ANeuralNetworksExecution* unbound_execution(bool reusable);
  ANeuralNetworksBurst* burst();
  std::vector<std::byte>& input(size_t i) { return inputs_[i]; }
  const std::vector<std::byte>& output(size_t i) const { return outputs_[i]; }

 private:
  ANeuralNetworksModel* model_ = nullptr;
  ANeuralNetworksCompilation* compilation_ = nullptr;
  std::vector<std::vector<std::byte>> inputs_;
  std::vector<std::vector<std::byte>> outputs_;
};

}  // namespace nnvk::perf
