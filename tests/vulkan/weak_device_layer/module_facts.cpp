// Walks over the instructions of a module.
#include "tests/vulkan/weak_device_layer/module_facts.h"

namespace nnvk::weak_device {
namespace {

// From the SPIR-V specification.
enum Op : uint32_t {
  kExecutionMode = 16,
  kCapability = 17,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypeStruct = 30,
  kTypePointer = 32,
  kConstant = 43,
  kConstantComposite = 44,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kVariable = 59,
  kDecorate = 71,
  kExecutionModeId = 331,
};
constexpr uint32_t kLocalSize = 17;
constexpr uint32_t kLocalSizeId = 38;
constexpr uint32_t kSpecId = 1;
constexpr uint32_t kBuiltIn = 11;
constexpr uint32_t kWorkgroupSize = 25;
constexpr uint32_t kWorkgroupStorage = 4;

struct Reader {
  ModuleFacts facts;
  std::map<uint32_t, uint32_t> constants;     // result id -> value
  std::map<uint32_t, uint32_t> spec_ids;      // result id -> id of the specialization constant
  std::optional<uint32_t> work_group_size;    // the composite that overrides the mode
  std::array<uint32_t, 3> size_ids{0, 0, 0};  // constants that LocalSizeId names

  std::map<uint32_t, uint64_t> bytes;  // result id of a type -> its size; of a pointer -> the size of its target

  uint64_t bytes_of(uint32_t type) const {
    const auto found = bytes.find(type);
    return found != bytes.end() ? found->second : 0;
  }

  void read_type(uint32_t op, std::span<const uint32_t> operands) {
    const uint32_t id = operands[0];
    if (op == kTypeInt || op == kTypeFloat) bytes[id] = operands[1] / 8;
    if (op == kTypeVector) bytes[id] = bytes_of(operands[1]) * operands[2];
    if (op == kTypeArray) bytes[id] = bytes_of(operands[1]) * extent(operands[2]).value;
    if (op == kTypePointer) bytes[id] = bytes_of(operands[2]);
    if (op == kTypeStruct) {
      for (const uint32_t member : operands.subspan(1)) bytes[id] += bytes_of(member);
    }
  }

  ModuleFacts::Extent extent(uint32_t id) const {
    ModuleFacts::Extent made;
    if (const auto value = constants.find(id); value != constants.end()) made.value = value->second;
    if (const auto spec = spec_ids.find(id); spec != spec_ids.end()) made.constant = spec->second;
    return made;
  }

  void read(uint32_t op, std::span<const uint32_t> operands) {
    if (op >= kTypeInt && op <= kTypePointer && operands.size() >= 2) read_type(op, operands);
    if (op == kVariable && operands.size() >= 3 && operands[2] == kWorkgroupStorage) {
      facts.shared_bytes += bytes_of(operands[0]);
    }
    if (op == kCapability) facts.capabilities.insert(operands[0]);
    if (op == kExecutionMode && operands.size() == 5 && operands[1] == kLocalSize) {
      for (size_t i = 0; i < 3; ++i) facts.group[i].value = operands[2 + i];
    }
    if (op == kExecutionModeId && operands.size() == 5 && operands[1] == kLocalSizeId) {
      for (size_t i = 0; i < 3; ++i) size_ids[i] = operands[2 + i];
    }
    if (op == kDecorate && operands.size() >= 3 && operands[1] == kSpecId) spec_ids[operands[0]] = operands[2];
    if (op == kDecorate && operands.size() >= 3 && operands[1] == kBuiltIn && operands[2] == kWorkgroupSize) {
      work_group_size = operands[0];
    }
    if ((op == kConstant || op == kSpecConstant) && operands.size() >= 3) constants[operands[1]] = operands[2];
    if ((op == kConstantComposite || op == kSpecConstantComposite) && operands.size() == 5 && operands[1] == work_group_size) {
      for (size_t i = 0; i < 3; ++i) size_ids[i] = operands[2 + i];
    }
  }
};

}  // namespace

ModuleFacts read_module(std::span<const uint32_t> words) {
  constexpr size_t kHeader = 5;
  Reader reader;
  for (size_t at = kHeader; at < words.size();) {
    const uint32_t length = words[at] >> 16;
    if (length == 0 || at + length > words.size()) break;
    reader.read(words[at] & 0xffffU, words.subspan(at + 1, length - 1));
    at += length;
  }
  for (size_t i = 0; i < 3; ++i) {
    if (reader.size_ids[i] != 0) reader.facts.group[i] = reader.extent(reader.size_ids[i]);
  }
  return reader.facts;
}

uint64_t ModuleFacts::invocations(const std::map<uint32_t, uint32_t>& constants) const {
  uint64_t product = 1;
  for (const Extent& extent : group) {
    const auto given = extent.constant ? constants.find(*extent.constant) : constants.end();
    product *= given != constants.end() ? given->second : extent.value;
  }
  return product;
}

}  // namespace nnvk::weak_device
