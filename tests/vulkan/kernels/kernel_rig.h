// Runs one operation on the Vulkan device and on the CPU reference. For tests that rows of `nnvk conformance` cannot express,
// because no model has them: pictures, kernels of other devices, bytes instead of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/plan/plan.h"
#include "core/runtime/device.h"
#include "kernel_table.h"  // generated: KernelVariant

namespace nnvk::vulkan::rig {

// A tensor operand. `scale` and `zero_point` matter for quantized types only.
OperandInfo tensor(OperandType type, Shape shape, float scale = 0.0F, int32_t zero_point = 0);

// The given reals as elements of a FLOAT32 or FLOAT16 tensor.
std::vector<std::byte> float_values(OperandType type, std::span<const float> values);
template <class T>
std::vector<std::byte> raw_values(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// One operation with operands, in the order in which they are added.
class OneNode {
 public:
  explicit OneNode(OperationCode code);

  OneNode& input(const OperandInfo& info, std::vector<std::byte> bytes);  // given at execution
  OneNode& constant(const OperandInfo& info, std::vector<std::byte> bytes);
  // Float tensors of values in [-range, range], repeatable by seed.
  OneNode& random_input(const OperandInfo& info, uint32_t seed, float range);
  OneNode& random_constant(const OperandInfo& info, uint32_t seed, float range);
  OneNode& scalar(int32_t value);
  OneNode& scalar(bool value);
  OneNode& omitted(OperandType type);
  OneNode& output(const OperandInfo& info);  // shape: may be unknown, the reference finds it

  std::shared_ptr<const Plan> plan() const;
  const std::vector<std::vector<std::byte>>& input_bytes() const { return inputs_; }

 private:
  OneNode& add(const OperandInfo& info, TensorRole role, std::vector<std::byte> bytes);

  Plan plan_;
  std::vector<std::vector<std::byte>> inputs_;
};

// One output of a device.
struct OutputValue {
  OperandInfo info;  // with the final shape
  std::vector<std::byte> bytes;
};

// Prepares and executes on one device. Errors are those of prepare(), submit() or the execution.
Result<std::vector<OutputValue>> run_on(Device& device, const OneNode& node, std::span<const Shape> output_shapes = {});

// The Vulkan device, made at first use, whose kernels use `variant` if they have it; null if the machine has none. `reason`
// receives the reason.
Device* vulkan_device(KernelVariant variant = KernelVariant::kTexel, std::string* reason = nullptr);
Device& reference_device();

// Non-fatal test failures unless all variants on Vulkan give the same bytes as the reference.
void expect_same_bytes(const OneNode& node);

}  // namespace nnvk::vulkan::rig

// First line of a kernel test: skips it, saying why, on a machine without Vulkan.
#define NNVK_REQUIRE_VULKAN()                                                                               \
  do {                                                                                                      \
    std::string nnvk_reason;                                                                                \
    if (::nnvk::vulkan::rig::vulkan_device(::nnvk::vulkan::KernelVariant::kTexel, &nnvk_reason) == nullptr) \
      GTEST_SKIP() << nnvk_reason;                                                                          \
  } while (false)
