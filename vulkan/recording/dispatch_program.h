// A recording as plain data: every dispatch with its level, kernel variant and the place of every byte it touches.
// Made by recording_builder.h, turned into commands by recording.h. No Vulkan here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/operand.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/memory/placed_bytes.h"

namespace nnvk::vulkan {

inline constexpr uint64_t kStorageAlignment = 256;  // satisfies every device's storage and texel offset alignment

// What kernels may touch of a tensor of `size` bytes: a multiple of 16, never nothing.
constexpr uint64_t padded_size(uint64_t size) { return size == 0 ? 16 : (size + 15) & ~uint64_t{15}; }

enum class Region : uint8_t {
  kArena,     // temporaries; per slot
  kIo,        // inputs and outputs of the plan, status words; per slot, unless an input or output is used where the client has it
  kConstant,  // shared by all recordings of a prepared plan; `constant` says which
  kLocal,     // constants of this program alone
};

// An io location that is no input or output: status words.
inline constexpr uint32_t kNoIoTensor = UINT32_MAX;

struct Location {
  Region region = Region::kArena;
  uint32_t index = 0;   // kConstant: which; kIo: which input, or output counted after the inputs, or kNoIoTensor
  uint64_t offset = 0;  // bytes, a multiple of kStorageAlignment; within the constant for kConstant
  uint64_t size = 0;    // bytes without padding
};

struct ProgramDispatch {
  Dispatch dispatch;
  std::vector<Location> locations;  // per binding
  KernelVariant variant = KernelVariant::kWords;
  uint32_t level = 0;
};

// One input or output of the plan in the io region.
struct IoTensor {
  bool used = false;  // false: omitted
  uint64_t offset = 0;
  uint64_t size = 0;  // of `shape`; an upper bound for data-dependent outputs
  Shape shape;
  std::shared_ptr<const Shape> data_dependent;  // what the real shape must agree with; null when `shape` is final
};

// What the host looks at in the status words after a run.
struct DataSize {  // IoTensor `output` really has as many elements along `dimension` as the word says
  uint32_t output = 0;
  uint32_t dimension = 0;
  uint64_t offset = 0;  // of the word in the io region
};
struct FailureFlag {  // the run failed if the word is not zero
  uint64_t offset = 0;
  std::string message;
};

struct DispatchProgram {
  std::vector<ProgramDispatch> dispatches;  // by level
  uint32_t level_count = 0;
  uint64_t arena_size = 0;
  uint64_t io_size = 0;
  // The io region: inputs, status words, outputs. The host writes [0, input_end) and reads [output_begin, io_size).
  uint64_t input_end = 0;
  uint64_t output_begin = 0;
  std::vector<DataSize> data_sizes;
  std::vector<FailureFlag> failure_flags;
  uint64_t local_size = 0;
  std::vector<IoTensor> inputs;
  std::vector<IoTensor> outputs;
  std::vector<PlacedBytes> local;  // in the local region, of the plan or the resolution; valid until the program is uploaded
};

// Names a constant of a prepared plan. Raw constants: the tensor. Tables: node, key and contents. Packed: node and key.
struct ConstantKey {
  enum class Kind : uint8_t { kRaw, kTable, kPacked };
  Kind kind = Kind::kRaw;
  uint32_t index = 0;  // tensor or node
  std::string key;
  std::vector<std::byte> contents;
  auto operator<=>(const ConstantKey&) const = default;
};

// The constants that a prepared plan holds on the device already.
using ConstantIndex = std::map<ConstantKey, uint32_t>;

// A constant that a program needs beyond the index.
struct NewConstant {
  ConstantKey key;
  uint32_t id = 0;
  uint64_t size = 0;
  std::span<const std::byte> bytes;  // kRaw: of the plan
  // Filled by the preparation: nothing to upload.
  bool is_packed() const { return key.kind == ConstantKey::Kind::kPacked; }
  std::span<const std::byte> contents() const {  // bytes to upload, wherever they are kept
    return key.kind == ConstantKey::Kind::kTable ? key.contents : bytes;
  }
};

// What one plan with one set of shapes needs.
struct BuiltPrograms {
  DispatchProgram main;
  DispatchProgram preparation;  // packs constants; runs once before the first run of `main`
  std::vector<NewConstant> constants;
};

}  // namespace nnvk::vulkan
