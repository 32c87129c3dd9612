// A recording as plain data: every dispatch with its level, kernel variant and the location of every byte that it touches.
// recording_builder.h makes the program; recording.h turns it into commands. No Vulkan here.
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

enum class Region : uint8_t {
  kArena,     // temporaries; per slot
  kIo,        // inputs, outputs and status words; per slot, unless an input or output is used in the client's memory
  kConstant,  // shared by all recordings of a prepared plan; `constant` says which
  kLocal,     // constants of this program only
};

// The index of status words: an io location that is neither input nor output.
inline constexpr uint32_t kNoIoTensor = UINT32_MAX;

struct Location {
  Region region = Region::kArena;
  uint32_t index = 0;   // kConstant: its id; kIo: number of the input, or of the output counted after the inputs, or kNoIoTensor
  uint64_t offset = 0;  // bytes, a multiple of kStorageAlignment; within the constant for kConstant
  uint64_t size = 0;    // bytes without padding
};

struct ProgramDispatch {
  Dispatch dispatch;
  std::vector<Location> locations;  // per binding
  KernelVariant variant = KernelVariant::kWords;
  uint32_t level = 0;
  double seconds = 0;  // predicted
};

// One input or output of the plan in the io region.
struct IoTensor {
  bool used = false;  // false: omitted
  uint64_t offset = 0;
  uint64_t size = 0;  // of `shape`; an upper bound for data-dependent outputs
  Shape shape;
  std::shared_ptr<const Shape> data_dependent;  // the real shape must agree with this; null if `shape` is final
};

// The status words that the host checks after a run.
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
  std::vector<PlacedBytes> local;  // for the local region; plan or resolution owns them; valid until the program is uploaded

  // Returns an input or output; `place` counts the inputs, then the outputs.
  const IoTensor& io_tensor(size_t place) const { return place < inputs.size() ? inputs[place] : outputs[place - inputs.size()]; }
};

// Names a constant of a prepared plan: raw constants by tensor, tables by node, key and contents, packed weights by node and key.
struct ConstantKey {
  enum class Kind : uint8_t { kRaw, kTable, kPacked };
  Kind kind = Kind::kRaw;
  uint32_t index = 0;  // tensor or node
  std::string key;
  std::vector<std::byte> contents;
  auto operator<=>(const ConstantKey&) const = default;
};

// The constants of a prepared plan that the device already has.
using ConstantIndex = std::map<ConstantKey, uint32_t>;

// A constant that a program needs and the index lacks.
struct NewConstant {
  ConstantKey key;
  uint32_t id = 0;
  uint64_t size = 0;
  std::span<const std::byte> bytes;  // kRaw: points into the plan
  // Returns true if the preparation fills the constant, so that there is nothing to upload.
  bool is_packed() const { return key.kind == ConstantKey::Kind::kPacked; }
  std::span<const std::byte> contents() const {  // bytes to upload, wherever they are stored
    return key.kind == ConstantKey::Kind::kTable ? key.contents : bytes;
  }
};

// The programs and new constants for one plan with one set of shapes.
struct BuiltPrograms {
  DispatchProgram main;
  DispatchProgram preparation;  // packs constants; runs once before the first run of `main`
  std::vector<NewConstant> constants;
};

}  // namespace nnvk::vulkan
