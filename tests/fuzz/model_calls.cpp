// Model building through the C API with any sequence of calls. If the result is a valid model, the target compiles and executes
// it on both CPU devices, with little time and little memory (bounded_memory.h).
#include "tests/fuzz/model_calls.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "tests/fuzz/bounded_memory.h"
#include "tests/fuzz/surroundings.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::fuzz {
namespace {

using tools::conformance::Lifetime;
using tools::conformance::VectorCase;
using tools::conformance::VectorGraph;
using tools::conformance::VectorOperand;

constexpr size_t kMemorySize = 4096;
constexpr size_t kMostBytes = 1 << 16;       // of a value, an input or an output
constexpr uint64_t kMostElements = 1 << 14;  // of an operand of models that are executed
constexpr uint64_t kTimeout = 100'000'000;   // nanoseconds, of compilations, executions and loops

// Codes that the specification has (docs/nnapi).
int checked(int code) {
  require(code >= ANEURALNETWORKS_NO_ERROR && code <= ANEURALNETWORKS_DEAD_OBJECT, "a call ends with a documented code");
  return code;
}

template <class T, void (*Free)(T*)>
struct Deleter {
  void operator()(T* object) const { Free(object); }
};
using Model = std::unique_ptr<ANeuralNetworksModel, Deleter<ANeuralNetworksModel, ANeuralNetworksModel_free>>;
using Compilation =
    std::unique_ptr<ANeuralNetworksCompilation, Deleter<ANeuralNetworksCompilation, ANeuralNetworksCompilation_free>>;
using Execution = std::unique_ptr<ANeuralNetworksExecution, Deleter<ANeuralNetworksExecution, ANeuralNetworksExecution_free>>;

size_t element_size(int32_t type) {
  switch (type) {
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
    case ANEURALNETWORKS_TENSOR_BOOL8:
    case ANEURALNETWORKS_BOOL:
      return 1;
    case ANEURALNETWORKS_FLOAT16:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
      return 2;
    default:
      return 4;
  }
}

struct Operand {
  int32_t type = 0;
  std::vector<uint32_t> dimensions;
  float scale = 0;
  int32_t zero_point = 0;

  uint64_t elements() const {
    uint64_t count = 1;
    for (const uint32_t d : dimensions) {
      if (d > kMostBytes || count > kMostBytes) return UINT64_MAX;
      count *= d;
    }
    return count;
  }
};

// A model and the objects that must live as long.
struct Built {
  Model model;
  std::vector<Operand> operands;
  std::deque<Input> values;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  size_t operations = 0;
  bool is_finished = false;
};

// One memory of zeros, for all runs.
const ANeuralNetworksMemory* shared_memory() {
  static ANeuralNetworksMemory* const memory = [] {
    const int fd = ::memfd_create("fuzz", MFD_CLOEXEC);
    require(::ftruncate(fd, kMemorySize) == 0, "a memory");
    ANeuralNetworksMemory* made = nullptr;
    require(ANeuralNetworksMemory_createFromFd(kMemorySize, PROT_READ, fd, 0, &made) == ANEURALNETWORKS_NO_ERROR, "a memory");
    ::close(fd);
    return made;
  }();
  return memory;
}

const std::vector<const ANeuralNetworksDevice*>& devices() {
  static const auto* const list = [] {
    settle_surroundings();
    auto* const found = new std::vector<const ANeuralNetworksDevice*>;
    uint32_t count = 0;
    require(ANeuralNetworks_getDeviceCount(&count) == ANEURALNETWORKS_NO_ERROR && count == 2, "two devices");
    for (uint32_t i = 0; i < count; ++i) {
      ANeuralNetworksDevice* device = nullptr;
      require(ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR, "a device");
      found->push_back(device);
    }
    return found;
  }();
  return *list;
}

class Client {
 public:
  explicit Client(std::span<const std::byte> input) : source_(input) {}

  void run() {
    begin_model();
    while (!source_.at_end() && built_.size() < 8) {
      if (built_.back().operands.size() > kMostOperands) break;
      step(static_cast<Call>(source_.below(static_cast<uint32_t>(Call::kCount))));
    }
    for (const Built& built : built_) {
      if (built.is_finished && &built == last_finished_) use(built);
    }
    // Models that refer to others must be freed first.
    while (!built_.empty()) built_.pop_back();
  }

 private:
  void begin_model() {
    ANeuralNetworksModel* model = nullptr;
    require(ANeuralNetworksModel_create(&model) == ANEURALNETWORKS_NO_ERROR, "a model");
    built_.emplace_back().model.reset(model);
  }

  Built& current() { return built_.back(); }
  ANeuralNetworksModel* model() { return current().model.get(); }

  std::vector<uint32_t> indexes() {
    std::vector<uint32_t> list(source_.below(32));
    for (uint32_t& index : list) index = source_.number();
    return list;
  }

  void step(Call call) {
    switch (call) {
      case Call::kOperand:
        return add_operand();
      case Call::kValue:
        return set_value();
      case Call::kMemoryValue: {
        const auto index = static_cast<int32_t>(source_.number());
        const uint32_t offset = source_.number();
        checked(ANeuralNetworksModel_setOperandValueFromMemory(model(), index, shared_memory(), offset, source_.number()));
        return;
      }
      case Call::kChannelScales: {
        const auto index = static_cast<int32_t>(source_.number());
        const uint32_t dimension = source_.number();
        std::vector<float> scales(source_.byte());
        for (float& scale : scales) scale = source_.value<float>();
        const ANeuralNetworksSymmPerChannelQuantParams parameters{dimension, static_cast<uint32_t>(scales.size()), scales.data()};
        checked(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model(), index, &parameters));
        return;
      }
      case Call::kReference: {
        const auto index = static_cast<int32_t>(source_.number());
        const Built& other = built_[source_.below(static_cast<uint32_t>(built_.size()))];
        checked(ANeuralNetworksModel_setOperandValueFromModel(model(), index, other.model.get()));
        return;
      }
      case Call::kExtensionData: {
        const auto index = static_cast<int32_t>(source_.number());
        const Input data(source_.byte());
        checked(ANeuralNetworksModel_setOperandExtensionData(model(), index, data.data(), data.size()));
        return;
      }
      case Call::kOperation: {
        const auto code = static_cast<int32_t>(source_.number());
        const std::vector<uint32_t> inputs = indexes();
        const std::vector<uint32_t> outputs = indexes();
        const int result =
            checked(ANeuralNetworksModel_addOperation(model(), code, static_cast<uint32_t>(inputs.size()), inputs.data(),
                                                      static_cast<uint32_t>(outputs.size()), outputs.data()));
        if (result == ANEURALNETWORKS_NO_ERROR) ++current().operations;
        return;
      }
      default:
        return finish();
    }
  }

  void add_operand() {
    Operand operand;
    operand.type = static_cast<int32_t>(source_.number());
    operand.dimensions.resize(source_.below(8));
    for (uint32_t& d : operand.dimensions) d = source_.number();
    const uint8_t quantized = source_.byte();
    if ((quantized & 1) != 0) operand.scale = source_.value<float>();
    if ((quantized & 2) != 0) operand.zero_point = source_.value<int32_t>();
    const ANeuralNetworksOperandType type = type_of(operand);
    if (checked(ANeuralNetworksModel_addOperand(model(), &type)) == ANEURALNETWORKS_NO_ERROR) {
      current().operands.push_back(std::move(operand));
    }
  }

  static ANeuralNetworksOperandType type_of(const Operand& operand) {
    return {operand.type, static_cast<uint32_t>(operand.dimensions.size()), operand.dimensions.data(), operand.scale,
            operand.zero_point};
  }

  void set_value() {
    const uint32_t index = source_.number();
    const auto kind = static_cast<ValueKind>(source_.below(static_cast<uint32_t>(ValueKind::kCount)));
    uint64_t size = 0;
    if (kind == ValueKind::kOfLength) size = source_.number();
    if (kind == ValueKind::kFitting && index < current().operands.size()) {
      const Operand& operand = current().operands[index];
      size = std::min<uint64_t>(operand.elements(), kMostBytes) * element_size(operand.type);
    }
    Input& bytes = current().values.emplace_back(std::min<uint64_t>(size, kMostBytes));
    const uint32_t written = source_.number();
    for (size_t i = 0; i < bytes.size() && i < written; ++i) bytes[i] = static_cast<std::byte>(source_.byte());
    const void* const data = kind == ValueKind::kOmitted ? nullptr : bytes.data();
    checked(ANeuralNetworksModel_setOperandValue(model(), static_cast<int32_t>(index), data, bytes.size()));
  }

  void finish() {
    Built& built = current();
    built.inputs = indexes();
    built.outputs = indexes();
    const bool relaxed = (source_.byte() & 1) != 0;
    checked(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model(), relaxed));
    const int identified = checked(
        ANeuralNetworksModel_identifyInputsAndOutputs(model(), static_cast<uint32_t>(built.inputs.size()), built.inputs.data(),
                                                      static_cast<uint32_t>(built.outputs.size()), built.outputs.data()));
    const int finished = checked(ANeuralNetworksModel_finish(model()));
    built.is_finished = identified == ANEURALNETWORKS_NO_ERROR && finished == ANEURALNETWORKS_NO_ERROR;
    if (built.is_finished) last_finished_ = &built;
    begin_model();
  }

  void use(const Built& built) {
    for (const Built& other : built_) {
      for (const Operand& operand : other.operands) {
        if (operand.elements() > kMostElements) return;
      }
    }
    for (const ANeuralNetworksDevice* device : devices()) {
      std::vector<char> supported(built.operations);
      static_assert(sizeof(bool) == sizeof(char));
      checked(ANeuralNetworksModel_getSupportedOperationsForDevices(built.model.get(), &device, 1,
                                                                    reinterpret_cast<bool*>(supported.data())));
      ANeuralNetworksCompilation* made = nullptr;
      if (checked(ANeuralNetworksCompilation_createForDevices(built.model.get(), &device, 1, &made)) !=
          ANEURALNETWORKS_NO_ERROR) {
        continue;
      }
      const Compilation compilation(made);
      checked(ANeuralNetworksCompilation_setTimeout(made, kTimeout));
      const int compiled = checked(ANeuralNetworksCompilation_finish(made));
      if (compiled == ANEURALNETWORKS_NO_ERROR) {
        execute(built, made);
      } else {
        const bool is_supported = std::ranges::all_of(supported, [](char yes) { return yes != 0; });
        const bool may_fail = compiled == ANEURALNETWORKS_OUT_OF_MEMORY || compiled >= ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
        require(!is_supported || may_fail, "what is supported compiles");
      }
    }
  }

  void execute(const Built& built, ANeuralNetworksCompilation* compilation) {
    ANeuralNetworksExecution* made = nullptr;
    if (checked(ANeuralNetworksExecution_create(compilation, &made)) != ANEURALNETWORKS_NO_ERROR) return;
    const Execution execution(made);
    checked(ANeuralNetworksExecution_setTimeout(made, kTimeout));
    checked(ANeuralNetworksExecution_setLoopTimeout(made, kTimeout));
    std::deque<Input> buffers;
    ByteSource values = source_;
    const auto bind = [&](const std::vector<uint32_t>& list, const auto& set) {
      for (size_t i = 0; i < list.size(); ++i) {
        Operand operand = built.operands[list[i]];
        for (uint32_t& d : operand.dimensions) d = d == 0 ? 2 : d;
        const ANeuralNetworksOperandType type = type_of(operand);
        Input& bytes = buffers.emplace_back(std::min<uint64_t>(operand.elements(), kMostBytes) * element_size(operand.type));
        for (size_t k = 0; k < std::min<size_t>(bytes.size(), 64); ++k) bytes[k] = static_cast<std::byte>(values.byte());
        set(static_cast<int32_t>(i), operand.dimensions == built.operands[list[i]].dimensions ? nullptr : &type, bytes);
      }
    };
    bind(built.inputs, [&](int32_t index, const ANeuralNetworksOperandType* type, Input& bytes) {
      checked(ANeuralNetworksExecution_setInput(made, index, type, bytes.data(), bytes.size()));
    });
    bind(built.outputs, [&](int32_t index, const ANeuralNetworksOperandType*, Input& bytes) {
      checked(ANeuralNetworksExecution_setOutput(made, index, nullptr, bytes.data(), bytes.size()));
    });
    checked(ANeuralNetworksExecution_compute(made));
  }

  ByteSource source_;
  std::deque<Built> built_;
  const Built* last_finished_ = nullptr;
};

void put_indexes(ByteSink& sink, const std::vector<uint32_t>& list) {
  sink.byte(list.size());
  for (const uint32_t index : list) sink.number(index);
}

void put(ByteSink& sink, Call call) { sink.byte(static_cast<size_t>(call)); }

void put_operand(ByteSink& sink, const VectorOperand& operand) {
  put(sink, Call::kOperand);
  sink.number(static_cast<uint32_t>(operand.type));
  sink.byte(operand.dimensions.size());
  for (const uint32_t d : operand.dimensions) sink.number(d);
  sink.byte(operand.scale != 0 || operand.zero_point != 0 ? 3 : 0);
  if (operand.scale != 0 || operand.zero_point != 0) {
    sink.value(operand.scale);
    sink.value(operand.zero_point);
  }
}

void put_value(ByteSink& sink, uint32_t index, const VectorOperand& operand) {
  if (!operand.channel_scales.empty()) {
    put(sink, Call::kChannelScales);
    sink.number(index);
    sink.number(operand.channel_axis);
    sink.byte(operand.channel_scales.size());
    for (const float scale : operand.channel_scales) sink.value(scale);
  }
  if (operand.lifetime == Lifetime::kSubgraph) {
    put(sink, Call::kReference);
    sink.number(index);
    sink.byte(operand.subgraph);
  }
  const bool is_constant = operand.lifetime == Lifetime::kConstantCopy || operand.lifetime == Lifetime::kConstantReference;
  if (!is_constant && operand.lifetime != Lifetime::kNoValue) return;
  put(sink, Call::kValue);
  sink.number(index);
  const bool is_there = is_constant && !operand.data.empty();
  sink.byte(static_cast<size_t>(is_there ? ValueKind::kFitting : ValueKind::kOmitted));
  sink.number(static_cast<uint32_t>(operand.data.size()));
  for (const uint8_t byte : operand.data) sink.byte(byte);
}

void put_graph(ByteSink& sink, const VectorGraph& graph, bool relaxed) {
  for (uint32_t i = 0; i < graph.operands.size(); ++i) {
    put_operand(sink, graph.operands[i]);
    put_value(sink, i, graph.operands[i]);
  }
  for (const auto& operation : graph.operations) {
    put(sink, Call::kOperation);
    sink.number(static_cast<uint32_t>(operation.code));
    put_indexes(sink, operation.inputs);
    put_indexes(sink, operation.outputs);
  }
  put(sink, Call::kFinish);
  put_indexes(sink, graph.inputs);
  put_indexes(sink, graph.outputs);
  sink.byte(relaxed ? 1 : 0);
}

}  // namespace

Input calls_of(const VectorCase& c) {
  ByteSink sink;
  for (const VectorGraph& graph : c.referenced) put_graph(sink, graph, c.relaxed);
  put_graph(sink, c.main, c.relaxed);
  for (const uint32_t index : c.main.inputs) {
    const auto& data = c.main.operands[index].data;
    for (size_t i = 0; i < std::min<size_t>(data.size(), 64); ++i) sink.byte(data[i]);
  }
  return sink.take();
}

void run(std::span<const std::byte> input) {
  (void)devices();
  const BoundedMemory bounded;
  Client(input).run();
}

// The smallest case of every operation and type, and the one that must be refused.
std::vector<Input> seeds() {
  constexpr size_t kLongest = 2000;
  std::map<std::string, Input> smallest;
  for (const auto& row : tools::conformance::generated_rows().all()) {
    Input calls = calls_of(row.make(1));
    if (calls.size() > kLongest) continue;
    Input& kept = smallest[std::to_string(row.operation) + row.type + (row.must_be_refused ? " refused" : "")];
    if (kept.empty() || calls.size() < kept.size()) kept = std::move(calls);
  }
  std::vector<Input> list;
  for (auto& [name, calls] : smallest) list.push_back(std::move(calls));
  return list;
}

}  // namespace nnvk::fuzz
