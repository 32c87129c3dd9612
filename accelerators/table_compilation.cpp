#include "accelerators/table_compilation.h"

#include <chrono>
#include <utility>

#include "core/base/deadline.h"

namespace nnvk::accelerators {
namespace {

// Returns the nanoseconds until the deadline, at least 1, because 0 means "no limit" in NNAPI.
uint64_t time_until(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::nanoseconds(deadline - std::chrono::steady_clock::now()).count();
  return left > 0 ? static_cast<uint64_t>(left) : 1;
}

}  // namespace

TableCompilation::TableCompilation(const SlTable& table, BuiltModel model, const ModelDescription& description)
    : table_(table), model_(std::move(model)) {
  const auto argument = [&](uint32_t id) {
    ModelOperand operand = description.operands[id];
    operand.type = model_.types[id];
    return operand;
  };
  for (const uint32_t id : description.inputs) inputs_.push_back(argument(id));
  for (const uint32_t id : description.outputs) outputs_.push_back(argument(id));
}

Result<std::unique_ptr<TableCompilation>> TableCompilation::create(const SlTable& table, const ANeuralNetworksDevice* device,
                                                                   const CompilationRequest& request,
                                                                   const TableRegions& regions) {
  if (has_passed(request.deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the compilation's time was over before it started");
  }
  NNVK_ASSIGN(BuiltModel model, build_model(table, request.model, regions));
  std::unique_ptr<TableCompilation> made(new TableCompilation(table, std::move(model), request.model));
  NNVK_ASSIGN(made->compilation_,
              NNVK_TABLE_OBJECT(table, ANeuralNetworksCompilation_createForDevices, ANeuralNetworksCompilation_free,
                                made->model_.model.get(), &device, uint32_t{1}));
  NNVK_TRY(made->set_up(request));
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksCompilation_finish, made->handle()));
  return made;
}

Status TableCompilation::set_up(const CompilationRequest& request) {
  priority_ = request.priority;
  NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksCompilation_setPreference, handle(), request.preference));
  NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksCompilation_setPriority, handle(), request.priority));
  if (request.deadline) {
    NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksCompilation_setTimeout, handle(), time_until(*request.deadline)));
  }
  if (request.cache) {
    const CacheFiles& cache = *request.cache;
    NNVK_TRY(NNVK_TABLE_CALL(table_, SL_ANeuralNetworksCompilation_setCachingFromFds, handle(), cache.model_files.data(),
                             static_cast<uint32_t>(cache.model_files.size()), cache.data_files.data(),
                             static_cast<uint32_t>(cache.data_files.size()), cache.token.data()));
  }
  for (const auto& [name, data] : request.attributes) {
    if (table_.attributes == nullptr) return fail(Code::kBadData, "the plugin's feature level has no attributes of extensions");
    NNVK_TRY(NNVK_TABLE_CALL(table_.attributes, ANeuralNetworksCompilation_addExtensionAttribute, handle(), name.first.c_str(),
                             name.second, data.data(), data.size()));
  }
  return {};
}

std::vector<MemoryPreference> TableCompilation::preferences(bool of_inputs) const {
  const auto alignment = of_inputs ? table_->ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput
                                   : table_->ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput;
  const auto padding = of_inputs ? table_->ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput
                                 : table_->ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput;
  std::vector<MemoryPreference> preferences(of_inputs ? inputs_.size() : outputs_.size());
  for (uint32_t i = 0; i < preferences.size(); ++i) {
    // These are only preferences, so a library that does not answer has none.
    if (alignment(handle(), i, &preferences[i].alignment) != 0) preferences[i].alignment = 1;
    if (padding(handle(), i, &preferences[i].padding) != 0) preferences[i].padding = 1;
  }
  return preferences;
}

Status TableCompilation::set_argument(ANeuralNetworksExecution* execution, bool is_input, size_t index,
                                      const ArgumentPlace& place, const TableObjects& objects) const {
  const ModelOperand& argument = is_input ? inputs_[index] : outputs_[index];
  const auto i = static_cast<int32_t>(index);
  if (place.is_omitted()) {
    return is_input ? NNVK_TABLE_CALL(table_, ANeuralNetworksExecution_setInput, execution, i, nullptr, nullptr, 0)
                    : NNVK_TABLE_CALL(table_, ANeuralNetworksExecution_setOutput, execution, i, nullptr, nullptr, 0);
  }
  ANeuralNetworksOperandType type{argument.type, static_cast<uint32_t>(place.dimensions.size()), place.dimensions.data(),
                                  argument.scale, argument.zero_point};
  // Dimensions that equal the model's need not be passed again.
  const ANeuralNetworksOperandType* const said =
      place.dimensions.empty() || place.dimensions == argument.dimensions ? nullptr : &type;
  const auto set =
      is_input ? table_->ANeuralNetworksExecution_setInputFromMemory : table_->ANeuralNetworksExecution_setOutputFromMemory;
  const char* const name =
      is_input ? "ANeuralNetworksExecution_setInputFromMemory" : "ANeuralNetworksExecution_setOutputFromMemory";
  if (place.memory != MemoryId::kNone) {
    const auto memory = objects.memories(place.memory);
    if (memory == nullptr) return fail(Code::kBadData, "there is no such memory of the device");
    return status_of(set(execution, i, said, memory->get(), 0, 0), name);
  }
  const auto region = objects.regions(place.range.region);
  if (region == nullptr || place.range.offset > region->size || place.range.length > region->size - place.range.offset) {
    return fail(Code::kBadData, "it lies outside the memory that was shared");
  }
  return status_of(set(execution, i, said, region->memory.get(), place.range.offset, place.range.length), name);
}

Status TableCompilation::prepare(ANeuralNetworksExecution* execution, const ExecutionRequest& request) const {
  if (request.measure_timing) {
    NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksExecution_setMeasureTiming, execution, true));
  }
  for (const auto& [name, data] : request.attributes) {
    if (table_.attributes == nullptr) return fail(Code::kBadData, "the plugin's feature level has no attributes of extensions");
    NNVK_TRY(NNVK_TABLE_CALL(table_.attributes, ANeuralNetworksExecution_addExtensionAttribute, execution, name.first.c_str(),
                             name.second, data.data(), data.size()));
  }
  if (!request.deadline) return {};
  return NNVK_TABLE_CALL(table_, ANeuralNetworksExecution_setTimeout, execution, time_until(*request.deadline));
}

// Reads the outputs' shapes; each call also reports whether the output's memory sufficed.
Status TableCompilation::read_outputs(ANeuralNetworksExecution* execution, const ExecutionRequest& request,
                                      ExecutionAnswer& answer) const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    OutputAnswer& output = answer.outputs.emplace_back();
    if (request.outputs[i].is_omitted()) {  // it has no shape
      output.dimensions = outputs_[i].dimensions;
      continue;
    }
    const auto index = static_cast<int32_t>(i);
    uint32_t rank = 0;
    const int code = table_->ANeuralNetworksExecution_getOutputOperandRank(execution, index, &rank);
    output.sufficient = code != static_cast<int>(Code::kOutputInsufficientSize);
    if (output.sufficient) NNVK_TRY(status_of(code, "ANeuralNetworksExecution_getOutputOperandRank"));
    if (rank > kMostDimensions)
      return fail(Code::kOpFailed, "an output may have at most " + std::to_string(kMostDimensions) +
                                       " dimensions, but the plugin reports " + std::to_string(rank));
    output.dimensions.resize(rank);
    if (rank == 0) continue;
    const int again = table_->ANeuralNetworksExecution_getOutputOperandDimensions(execution, index, output.dimensions.data());
    if (again == static_cast<int>(Code::kOutputInsufficientSize)) {
      output.sufficient = false;
    } else {
      NNVK_TRY(status_of(again, "ANeuralNetworksExecution_getOutputOperandDimensions"));
    }
  }
  return {};
}

ExecutionAnswer TableCompilation::run(const ExecutionRequest& request, const TableObjects& objects) const {
  ExecutionAnswer answer;
  const auto status = [&]() -> Status {
    if (request.inputs.size() != inputs_.size() || request.outputs.size() != outputs_.size()) {
      return fail(Code::kBadData, "the execution must have as many inputs and outputs as the model");
    }
    if (has_passed(request.deadline))
      return fail(Code::kMissedDeadlinePersistent, "the time was over before the plugin could start");
    NNVK_ASSIGN(const TableExecution execution,
                NNVK_TABLE_OBJECT(table_, ANeuralNetworksExecution_create, ANeuralNetworksExecution_free, handle()));
    const auto set_all = [&](const std::vector<ArgumentPlace>& places, bool is_input) -> Status {
      for (size_t i = 0; i < places.size(); ++i) {
        if (const Status set = set_argument(execution.get(), is_input, i, places[i], objects); !set) {
          return fail(set.error().at(OperandPlace{is_input ? "input" : "output", static_cast<uint32_t>(i)}));
        }
      }
      return {};
    };
    NNVK_TRY(set_all(request.inputs, true));
    NNVK_TRY(set_all(request.outputs, false));
    NNVK_TRY(prepare(execution.get(), request));
    Status computed = NNVK_TABLE_CALL(table_, ANeuralNetworksExecution_compute, execution.get());
    if (!computed && computed.error().code != Code::kOutputInsufficientSize) return computed;
    NNVK_TRY(read_outputs(execution.get(), request, answer));
    if (!computed || !request.measure_timing) return computed;
    constexpr int32_t kOnHardware = 0;
    constexpr int32_t kInDriver = 1;
    const auto duration = [&](int32_t kind, uint64_t& nanoseconds) {
      if (table_->ANeuralNetworksExecution_getDuration(execution.get(), kind, &nanoseconds) != 0) nanoseconds = kUnknownDuration;
    };
    duration(kOnHardware, answer.hardware_nanoseconds);
    duration(kInDriver, answer.driver_nanoseconds);
    return {};
  }();
  answer.code = status ? Code::kNoError : status.error().code;
  if (!status) answer.message = status.error().text();
  if (!status && answer.code != Code::kOutputInsufficientSize) answer.outputs.clear();
  return answer;
}

}  // namespace nnvk::accelerators
