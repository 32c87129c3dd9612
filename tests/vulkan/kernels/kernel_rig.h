// Runs one operation on the Vulkan device and on the CPU reference and compares: the rig of all kernel tests. Integers must be
// identical, floats within a tolerance. All variants of kernels run.
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

// |difference| <= absolute + relative * |reference|. The defaults are those of the public float32 tests.
struct Tolerance {
  double absolute = 1e-5;
  double relative = 5.0 / (1 << 23);
};
inline constexpr Tolerance kHalfTolerance = {5.0 / 1024, 5.0 / 1024};
Tolerance default_tolerance(OperandType type);

// A tensor operand. `scale` and `zero_point` matter for quantized types only.
OperandInfo tensor(OperandType type, Shape shape, float scale = 0.0F, int32_t zero_point = 0);
// TENSOR_QUANT8_SYMM_PER_CHANNEL.
OperandInfo per_channel(Shape shape, uint32_t channel_dim, std::vector<float> scales);

// Values for every element of `info`, repeatable by seed: floats in [-range, range], 8- and 16-bit integers over their whole
// range, INT32 in [-range, range], BOOL8 0 or 1.
std::vector<std::byte> random_values(const OperandInfo& info, uint32_t seed, float range = 4.0F);
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
  OneNode& random_input(const OperandInfo& info, uint32_t seed, float range = 4.0F);
  OneNode& random_constant(const OperandInfo& info, uint32_t seed, float range = 4.0F);
  OneNode& scalar(int32_t value);
  OneNode& scalar(bool value);
  OneNode& scalar(float value);
  OneNode& scalar_of(OperandType tensor_type, float value);  // FLOAT16 beside a TENSOR_FLOAT16, else FLOAT32
  OneNode& omitted(OperandType type);
  OneNode& output(const OperandInfo& info);               // shape: may be unknown, the reference finds it
  OneNode& fused_activation(FusedActivation activation);  // as a plan rewrite would set it

  OperationCode code() const { return plan_.nodes[0].code; }
  std::shared_ptr<const Plan> plan() const;
  const std::vector<std::vector<std::byte>>& input_bytes() const { return inputs_; }

 private:
  OneNode& add(const OperandInfo& info, TensorRole role, std::vector<std::byte> bytes);

  Plan plan_;
  std::vector<std::vector<std::byte>> inputs_;
};

// One output as a device left it.
struct OutputValue {
  OperandInfo info;  // with the final shape
  std::vector<std::byte> bytes;
};

// Prepares and executes on one device. Errors are those of prepare(), submit() or the execution.
Result<std::vector<OutputValue>> run_on(Device& device, const OneNode& node, std::span<const Shape> output_shapes = {});
Result<std::vector<OutputValue>> run_on(Device& device, const std::shared_ptr<const Plan>& plan,
                                        std::vector<std::vector<std::byte>> inputs, std::span<const Shape> output_shapes = {});

// The Vulkan device whose kernels take `variant` where they have it, made at first use; null when the machine has none. `reason`
// says why.
Device* vulkan_device(KernelVariant variant = KernelVariant::kTexel, std::string* reason = nullptr);
Device& reference_device();

// Non-fatal test failures for every difference between Vulkan (all variants) and the reference.
void expect_same_as_reference(const OneNode& node);
void expect_same_as_reference(const OneNode& node, Tolerance tolerance);
void expect_same_as_reference(const std::shared_ptr<const Plan>& plan, const std::vector<std::vector<std::byte>>& inputs,
                              Tolerance tolerance);
// Both devices must fail; the codes must be equal.
void expect_same_failure(const OneNode& node);

}  // namespace nnvk::vulkan::rig

// First line of a kernel test: skips it, saying why, on a machine without Vulkan.
#define NNVK_REQUIRE_VULKAN()                                                                               \
  do {                                                                                                      \
    std::string nnvk_reason;                                                                                \
    if (::nnvk::vulkan::rig::vulkan_device(::nnvk::vulkan::KernelVariant::kTexel, &nnvk_reason) == nullptr) \
      GTEST_SKIP() << nnvk_reason;                                                                          \
  } while (false)
