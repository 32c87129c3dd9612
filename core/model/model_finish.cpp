// Finishes a model: copies long constants, sorts the operations, validates everything (docs/nnapi/model.md#validation).
#include <algorithm>
#include <cstring>
#include <string>

#include "core/model/graph_dump.h"
#include "core/model/model.h"

namespace nnvk {
namespace {

constexpr size_t kConstantAlignment = 64;
constexpr int kNewestLevel = 8;

// Returns true if an operation must write operands with this role.
bool is_written_by_operation(TensorRole role) { return role == TensorRole::kTemporary || role == TensorRole::kOutput; }

const char* role_name(TensorRole role) {
  static constexpr const char* kNames[] = {"a tensor", "a model input", "a tensor", "a constant", "omitted", "a model"};
  return kNames[static_cast<size_t>(role)];
}

// Checks that `list` contains exactly the operands with this role.
Status check_list(const std::vector<Operand>& operands, const std::vector<uint32_t>& list, TensorRole role, const char* what) {
  for (const uint32_t index : list) {
    if (operands[index].role != role) {
      return fail(Code::kBadData, operand_place(operands[index], index).text() + " is listed as model " + what +
                                      " but was made " + role_name(operands[index].role) + " afterwards");
    }
  }
  std::vector<bool> is_listed(operands.size());
  for (const uint32_t index : list) is_listed[index] = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].role == role && !is_listed[i]) {
      return fail(Code::kBadData, operand_place(operands[i], i).text() + " is marked as model " + what +
                                      " but is not in the list; inputs and outputs can be identified only once");
    }
  }
  return {};
}

Status check_extension_name(const std::string& name) {
  if (is_valid_extension_name(name)) return {};
  return fail(Code::kBadData,
              "\"" + name + "\" is not a valid extension name: it needs letters a-z, digits, '_' and at least one '.'");
}

Status check_operand(const Operand& operand, const ExtensionRegistry& extensions) {
  NNVK_TRY(check_finished_operand(operand.info));
  const bool is_reference = operand.role == TensorRole::kSubgraph;
  if ((operand.info.type == OperandType::kModel) != is_reference) {
    return fail(Code::kBadData, is_reference ? "it was given a model as its value but its type is not MODEL"
                                             : "an operand of type MODEL needs a model as its value");
  }
  if (operand.memory != nullptr) {
    NNVK_TRY(operand.memory->check_usable_for_constants());
    NNVK_TRY(operand.memory->check_constant_range(operand.memory_offset, operand.memory_length));
  }
  if (is_extension_type(operand.info.type)) {
    NNVK_TRY(check_extension_name(extensions.name_of(static_cast<int32_t>(operand.info.type))));
  }
  return {};
}

}  // namespace

Status Model::copy_long_constants() {
  size_t total = 0;
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (long_constants_[i] == nullptr) continue;
    total = (total + kConstantAlignment - 1) / kConstantAlignment * kConstantAlignment + operands_[i].value.size();
  }
  if (total == 0) return {};
  const std::shared_ptr<std::byte> block(static_cast<std::byte*>(::operator new(total, std::align_val_t(kConstantAlignment))),
                                         [](std::byte* p) { ::operator delete(p, std::align_val_t(kConstantAlignment)); });
  size_t offset = 0;
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (long_constants_[i] == nullptr) continue;
    Operand& operand = operands_[i];
    offset = (offset + kConstantAlignment - 1) / kConstantAlignment * kConstantAlignment;
    std::memcpy(block.get() + offset, long_constants_[i], operand.value.size());
    operand.value = {block.get() + offset, operand.value.size()};
    operand.owner = block;
    long_constants_[i] = nullptr;
    offset += operand.value.size();
  }
  return {};
}

Status Model::sort_operations() {
  constexpr uint32_t kNobody = UINT32_MAX;
  std::vector<uint32_t> producer(operands_.size(), kNobody);
  for (uint32_t n = 0; n < operations_.size(); ++n) {
    for (const uint32_t output : operations_[n].outputs) producer[output] = n;
  }
  std::vector<std::vector<uint32_t>> followers(operations_.size());
  std::vector<uint32_t> missing(operations_.size(), 0);
  for (uint32_t n = 0; n < operations_.size(); ++n) {
    for (const uint32_t input : operations_[n].inputs) {
      if (!is_written_by_operation(operands_[input].role)) continue;
      if (producer[input] == kNobody) {
        return fail(Code::kBadData, describe(operations_[n], n) + " reads " + operand_place(operands_[input], input).text() +
                                        ", which is neither written by an operation nor given a value");
      }
      followers[producer[input]].push_back(n);
      ++missing[n];
    }
  }
  run_order_.clear();
  for (uint32_t n = 0; n < operations_.size(); ++n) {
    if (missing[n] == 0) run_order_.push_back(n);
  }
  for (size_t done = 0; done < run_order_.size(); ++done) {
    for (const uint32_t next : followers[run_order_[done]]) {
      if (--missing[next] == 0) run_order_.push_back(next);
    }
  }
  if (run_order_.size() == operations_.size()) return {};
  for (uint32_t n = 0; n < operations_.size(); ++n) {
    if (missing[n] != 0) return fail(Code::kBadData, describe(operations_[n], n) + " depends on its own result through a cycle");
  }
  return {};
}

Status Model::validate() const {
  if (operands_.empty()) return fail(Code::kBadData, "a model needs at least one operand");
  if (operations_.empty()) return fail(Code::kBadData, "a model needs at least one operation");
  std::vector<bool> written(operands_.size());
  for (size_t n = 0; n < operations_.size(); ++n) {
    for (const uint32_t output : operations_[n].outputs) {
      if (!is_written_by_operation(operands_[output].role)) {
        return fail(Code::kBadData, describe(operations_[n], n) + " writes " + operand_place(operands_[output], output).text() +
                                        ", but this is " + role_name(operands_[output].role));
      }
      if (written[output]) {
        return fail(Code::kBadData, describe(operations_[n], n) + " writes " + operand_place(operands_[output], output).text() +
                                        ", which is written already");
      }
      written[output] = true;
    }
    if (const auto extension = extension_of(operations_[n])) NNVK_TRY(check_extension_name(extension->extension));
  }
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Operand& operand = operands_[i];
    if (const Status status = check_operand(operand, *extensions_); !status) {
      return fail(status.error().at(operand_place(operand, i)));
    }
    if (is_written_by_operation(operand.role) && !written[i]) {
      return fail(Code::kBadData, operand_place(operand, i).text() + " is never written by an operation and has no value");
    }
  }
  NNVK_TRY(check_list(operands_, inputs_, TensorRole::kInput, "input"));
  return check_list(operands_, outputs_, TensorRole::kOutput, "output");
}

Status Model::measure_nesting() {
  nested_operations_ = operations_.size();
  for (const Operand& operand : operands_) {
    if (operand.model == nullptr) continue;
    nesting_ = std::max(nesting_, operand.model->nesting() + 1);
    nested_operations_ += operand.model->nested_operations();  // no overflow: each is at most the limit
    if (nesting_ > kMostNesting) {
      return fail(Code::kBadData, "models reference models more than " + std::to_string(kMostNesting) + " levels deep");
    }
    if (nested_operations_ > kMostNestedOperations) {
      return fail(Code::kBadData, "the model and those that it references have more than " +
                                      std::to_string(kMostNestedOperations) + " operations, counted once for each reference");
    }
  }
  return {};
}

Status Model::finish() {
  NNVK_TRY(require_building());
  NNVK_TRY(copy_long_constants());  // throws bad_alloc without changing anything
  Status status = sort_operations();
  if (status) status = validate();
  if (status) status = measure_nesting();
  if (status) {
    for (const Operand& operand : operands_) {
      feature_level_ = std::max(feature_level_, operand_type_feature_level(operand.info.type));
      if (operand.info.is_tensor() && !operand.info.shape.rank_known) feature_level_ = std::max(feature_level_, 3);
      if (operand.model == nullptr) continue;
      feature_level_ = std::max({feature_level_, 4, operand.model->feature_level()});
      has_vendor_operations_ = has_vendor_operations_ || operand.model->has_vendor_operations();
    }
    if (feature_level_ > kNewestLevel) status = fail(Code::kBadData, "the model needs a newer feature level than 8");
  }
  state_ = status ? State::kFinished : State::kInvalid;
  if (status) log_graph(*this, "ModelBuilder::finish");
  return status;
}

}  // namespace nnvk
