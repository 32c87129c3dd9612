#include "cpu_fallback/optimized/element_group.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu_fallback/optimized/element_loop.h"

namespace nnvk::cpu {
namespace {

using Buffer = std::array<std::byte, BroadcastBlocks::kBlockBytes>;

template <class T>
void repeat_as(const std::byte* element, std::byte* out, size_t count) {
  T value;
  std::memcpy(&value, element, sizeof value);
  std::fill_n(reinterpret_cast<T*>(out), count, value);
}

void repeat(const std::byte* element, size_t width, std::byte* out, size_t count) {
  if (width == 1) repeat_as<uint8_t>(element, out, count);
  if (width == 2) repeat_as<uint16_t>(element, out, count);
  if (width == 4) repeat_as<uint32_t>(element, out, count);
}

class ElementGroupKernel final : public OptimizedKernel {
 public:
  // `arrays`: the inputs with several elements, in the order of the blocks' operands.
  ElementGroupKernel(const BroadcastBlocks& blocks, std::vector<GroupInput> inputs, std::vector<size_t> arrays,
                     std::vector<GroupMember> members)
      : blocks_(blocks),
        inputs_(std::move(inputs)),
        arrays_(std::move(arrays)),
        members_(std::move(members)),
        operand_of_(inputs_.size(), kNoOperand) {
    for (size_t o = 0; o < arrays_.size(); ++o) operand_of_[arrays_[o]] = o;
    size_t outputs = 0;
    for (const GroupMember& member : members_) {
      nanoseconds_ += member.kernel->element_loop()->nanoseconds();
      output_of_.push_back(member.is_output ? outputs++ : kNoOperand);
    }
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    std::array<const std::byte*, BroadcastBlocks::kMostOperands> arrays{};
    for (size_t o = 0; o < arrays_.size(); ++o) arrays[o] = memory.inputs[arrays_[o]];
    const std::span<const std::byte* const> operands(arrays.data(), arrays_.size());
    threads.parallel_rows(blocks_.count(), nanoseconds_ * static_cast<double>(blocks_.block_elements()), 1,
                          [&](size_t begin, size_t end) {
                            alignas(64) std::array<Buffer, kMostHeldResults> held;
                            blocks_.for_each(operands, begin, end, [&](const BroadcastBlocks::Block& block) {
                              for (size_t m = 0; m < members_.size(); ++m) compute(m, block, memory, held);
                            });
                          });
  }
  const char* name() const override { return "element group"; }

 private:
  static constexpr size_t kNoOperand = SIZE_MAX;

  std::byte* result(size_t m, const BroadcastBlocks::Block& block, const KernelMemory& memory,
                    std::array<Buffer, kMostHeldResults>& held) const {
    return output_of_[m] == kNoOperand ? held[members_[m].buffer].data()
                                       : memory.outputs[output_of_[m]] + block.at * members_[m].width;
  }

  void compute(size_t m, const BroadcastBlocks::Block& block, const KernelMemory& memory,
               std::array<Buffer, kMostHeldResults>& held) const {
    const GroupMember& member = members_[m];
    const ElementLoop& loop = *member.kernel->element_loop();
    alignas(64) std::array<Buffer, ElementLoop::kMostOperands> repeated;  // of loops that need arrays
    std::array<ElementArray, ElementLoop::kMostOperands> operands;
    for (size_t i = 0; i < member.operands.size(); ++i) {
      const GroupOperand& operand = member.operands[i];
      if (operand.is_member) {
        operands[i].data = result(operand.index, block, memory, held);
      } else if (operand_of_[operand.index] != kNoOperand) {
        operands[i].data = block.operands[operand_of_[operand.index]];
      } else if (loop.takes_repeats()) {
        operands[i] = {memory.inputs[operand.index], true};
      } else {
        repeat(memory.inputs[operand.index], inputs_[operand.index].width, repeated[i].data(), block.count);
        operands[i].data = repeated[i].data();
      }
    }
    loop.compute({operands.data(), member.operands.size()}, result(m, block, memory, held), block.count);
  }

  const BroadcastBlocks blocks_;
  const std::vector<GroupInput> inputs_;
  const std::vector<size_t> arrays_;
  const std::vector<GroupMember> members_;
  std::vector<size_t> operand_of_;  // per input: its place in a block; kNoOperand: it has one element
  std::vector<size_t> output_of_;   // per member
  double nanoseconds_ = 0;          // for an element of all members
};

}  // namespace

std::unique_ptr<OptimizedKernel> make_element_group(const Shape& shape, std::vector<GroupInput> inputs,
                                                    std::vector<GroupMember> members) {
  std::vector<BroadcastBlocks::Operand> operands;
  std::vector<size_t> arrays;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].shape.element_count() == 1 && shape.element_count() > 1) continue;
    operands.push_back({inputs[i].shape, inputs[i].width});
    arrays.push_back(i);
  }
  size_t widest = 1;
  for (const GroupMember& member : members) widest = std::max(widest, member.width);
  for (const GroupInput& input : inputs) widest = std::max(widest, input.width);
  const auto blocks = BroadcastBlocks::make(operands, shape, widest);
  if (!blocks) return nullptr;
  return std::make_unique<ElementGroupKernel>(*blocks, std::move(inputs), std::move(arrays), std::move(members));
}

}  // namespace nnvk::cpu
