// QUANTIZE, DEQUANTIZE and CAST: conversions between element types.
#include "core/operations/parameters/cast_quantize_parameters.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu_fallback/optimized/arrays/array_conversions.h"
#include "cpu_fallback/optimized/element_loop.h"
#include "cpu_fallback/optimized/families.h"

namespace nnvk::cpu {
namespace {

using namespace cast_quantize;
using enum OperandType;

// The elements of a block, so that intermediate values of a conversion stay in the nearest cache. There are at least as many as
// DenseKernel's blocks have if an operand has two bytes or more.
constexpr size_t kBlock = BroadcastBlocks::kBlockBytes / sizeof(uint16_t);

const float* floats_at(const std::byte* at) { return reinterpret_cast<const float*>(at); }
const uint16_t* halves_at(const std::byte* at) { return reinterpret_cast<const uint16_t*>(at); }

template <class Conversion>
std::unique_ptr<OptimizedKernel> convert(const KernelNode& node, const Conversion& conversion) {
  return array_kernel(node, "conversion", 0.15, conversion);
}

// Most conversions have two steps: from the input's type to floats, and from floats to the output's type.
using ToFloats = void (*)(const std::byte* in, float* out, size_t count);
using FromFloats = void (*)(const float* in, std::byte* out, size_t count);

ToFloats to_floats(OperandType type) {
  switch (type) {
    case kTensorFloat16:
      return [](const std::byte* in, float* out, size_t count) { halves_to_floats(halves_at(in), out, count); };
    case kTensorFloat32:
      return [](const std::byte* in, float* out, size_t count) { std::memcpy(out, in, count * sizeof(float)); };
    case kTensorInt32:
      return
          [](const std::byte* in, float* out, size_t count) { ints_to_floats(reinterpret_cast<const int32_t*>(in), out, count); };
    case kTensorQuant8Asymm:
      return [](const std::byte* in, float* out, size_t count) { dequantize_bytes({}, in, out, count); };
    default:
      return nullptr;
  }
}

FromFloats from_floats(OperandType type) {
  switch (type) {
    case kTensorFloat16:
      return [](const float* in, std::byte* out, size_t count) { floats_to_halves(in, reinterpret_cast<uint16_t*>(out), count); };
    case kTensorFloat32:
      return [](const float* in, std::byte* out, size_t count) { std::memcpy(out, in, count * sizeof(float)); };
    case kTensorInt32:
      return [](const float* in, std::byte* out, size_t count) { floats_to_ints(in, reinterpret_cast<int32_t*>(out), count); };
    case kTensorQuant8Asymm:
      return floats_to_unsigned_bytes;
    default:
      return nullptr;
  }
}

// Makes a kernel of these steps; it leaves out the one that would convert floats to floats.
template <class First, class Second>
std::unique_ptr<OptimizedKernel> convert_through_floats(const KernelNode& node, const First& first, const Second& second) {
  const bool reads_floats = node.operation.input(kInput).type == kTensorFloat32;
  const bool writes_floats = node.operation.output(kOutput).type == kTensorFloat32;
  return convert(node, [first, second, reads_floats, writes_floats](const std::byte* in, std::byte* out, size_t count) {
    alignas(64) float wide[kBlock];
    if (reads_floats) return second(floats_at(in), out, count);
    if (writes_floats) return first(in, reinterpret_cast<float*>(out), count);
    first(in, wide, count);
    second(wide, out, count);
  });
}

std::unique_ptr<OptimizedKernel> quantize(const KernelNode& node) {
  const OperandInfo& out = node.operation.output(kOutput);
  const ByteQuantization to{out.type == kTensorQuant8AsymmSigned, out.scale, out.zero_point};
  if (!is_quant8_asymm(out.type)) return nullptr;
  return convert_through_floats(
      node, to_floats(node.operation.input(kInput).type),
      [to](const float* in, std::byte* result, size_t count) { quantize_floats(to, in, result, count); });
}

// The kernel of DEQUANTIZE with a scale per channel.
class ChannelDequantization final : public OptimizedKernel {
 public:
  ChannelDequantization(const DequantizeParameters& p, bool gives_halves)
      : channels_(p.channels), scales_(p.channel_scales.begin(), p.channel_scales.end()), gives_halves_(gives_halves) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const bool is_last = channels_.inner == 1;
    const size_t length = is_last ? channels_.size : channels_.inner;
    const size_t rows = channels_.outer * (is_last ? 1 : channels_.size);
    threads.parallel_rows(rows, 5 + 0.15 * static_cast<double>(length), 1, [&](size_t first, size_t end) {
      for (size_t row = first; row < end; ++row) {
        for (size_t i = 0; i < length; i += kBlock) {
          const size_t at = row * length + i;
          const Scales scales{is_last ? scales_.data() + i : nullptr, is_last ? 0.0F : scales_[row % channels_.size]};
          store(scales, memory.inputs[kInput] + at, memory.outputs[kOutput], at, std::min(kBlock, length - i));
        }
      }
    });
  }
  const char* name() const override { return "conversion by channel"; }

 private:
  struct Scales {
    const float* of_each;  // per element; null: all have the scale `one`
    float one;
  };
  void store(const Scales& scales, const std::byte* in, std::byte* out, size_t at, size_t count) const {
    alignas(64) float wide[kBlock];
    float* const floats = gives_halves_ ? wide : reinterpret_cast<float*>(out) + at;
    if (scales.of_each != nullptr) {
      dequantize_by_channel(scales.of_each, in, floats, count);
    } else {
      dequantize_bytes({true, scales.one, 0}, in, floats, count);
    }
    if (gives_halves_) floats_to_halves(wide, reinterpret_cast<uint16_t*>(out) + at, count);
  }

  const AxisSplit channels_;
  const std::vector<float> scales_;
  const bool gives_halves_;
};

std::unique_ptr<OptimizedKernel> dequantize(const KernelNode& node) {
  const auto parameters = dequantize_parameters(node.operation);
  if (!parameters) return nullptr;
  if (!parameters->channel_scales.empty()) {
    const bool gives_halves = node.operation.output(kOutput).type == kTensorFloat16;
    return node.has_epilogue() ? nullptr : std::make_unique<ChannelDequantization>(*parameters, gives_halves);
  }
  const ByteQuantization from{node.operation.input(kInput).type != kTensorQuant8Asymm, parameters->scale, parameters->zero_point};
  return convert_through_floats(
      node, [from](const std::byte* in, float* result, size_t count) { dequantize_bytes(from, in, result, count); },
      from_floats(node.operation.output(kOutput).type));
}

std::unique_ptr<OptimizedKernel> cast(const KernelNode& node) {
  const OperandType from = node.operation.input(kInput).type;
  const OperandType to = node.operation.output(kOutput).type;
  if (from == to) {
    return convert(node, [width = element_size(from)](const std::byte* in, std::byte* out, size_t count) {
      std::memcpy(out, in, count * width);
    });
  }
  // Converts integers directly: floats hold only 24 bits.
  if (from == kTensorInt32 && to == kTensorQuant8Asymm) {
    return convert(node, [](const std::byte* in, std::byte* out, size_t count) {
      ints_to_unsigned_bytes(reinterpret_cast<const int32_t*>(in), out, count);
    });
  }
  if (from == kTensorQuant8Asymm && to == kTensorInt32) {
    return convert(node, [](const std::byte* in, std::byte* out, size_t count) {
      unsigned_bytes_to_ints(in, reinterpret_cast<int32_t*>(out), count);
    });
  }
  const ToFloats first = to_floats(from);
  const FromFloats second = from_floats(to);
  if (first == nullptr || second == nullptr) return nullptr;
  return convert_through_floats(node, first, second);
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kQuantize, quantize},
    {OperationCode::kDequantize, dequantize},
    {OperationCode::kCast, cast},
};

}  // namespace

std::span<const OptimizedRow> optimized_cast_quantize_kernels() { return kRows; }

}  // namespace nnvk::cpu
