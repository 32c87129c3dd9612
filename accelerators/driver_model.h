// Requests to a plugin's driver, and its answers, as plain data. They contain no pointers into the program, so that they can be
// stored, sent to another process, and checked before nnvk trusts them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/extension.h"
#include "core/model/operand.h"

namespace nnvk::accelerators {

// Ids that a driver issues. An id is valid for one generation of the driver (driver.h).
enum class RegionId : uint64_t { kNone = 0 };       // memory that was shared with it
enum class CompilationId : uint64_t { kNone = 0 };  // a compiled model
enum class MemoryId : uint64_t { kNone = 0 };       // memory of the driver's device

// ---- Devices

// Cost relative to the CPU's, as in NNAPI's drivers: smaller is better.
struct PerformanceInfo {
  float execution_time = 1.0F;
  float power_usage = 1.0F;
};

struct DeviceDescription {
  std::string name = {};     // from the driver; unique within the driver
  std::string version = {};  // changes when results or caches may change
  int32_t type = 0;          // ANEURALNETWORKS_DEVICE_*
  int64_t feature_level = 0;
  PerformanceInfo relaxed_scalar = {};  // FLOAT32 that may be computed as FLOAT16
  PerformanceInfo relaxed_tensor = {};
  PerformanceInfo if_overhead = {};
  PerformanceInfo while_overhead = {};
  std::map<int32_t, PerformanceInfo> operands = {};  // by ANEURALNETWORKS_* operand type
  // The extensions without their operations: the device reports for each model which operations it runs.
  std::vector<ExtensionDescription> extensions = {};
  uint32_t model_cache_files = 0;  // both 0: it caches nothing
  uint32_t data_cache_files = 0;
};

inline constexpr uint32_t kMostCacheFiles = 32;      // of a kind (NNAPI)
inline constexpr size_t kMostDevices = 64;           // of one driver
inline constexpr size_t kLongestName = 256;          // of a device, a version or an extension
inline constexpr size_t kMostExtensions = 64;        // of one device
inline constexpr size_t kMostExtensionTypes = 4096;  // of one extension

// Returns BAD_DATA unless NNAPI allows all values: printable names, a known device type, feature level 5 or higher, finite
// figures of at least 0, few cache files, well-formed extensions. The message names the wrong value.
Status check_device(const DeviceDescription& device);

// ---- Memory

// Memory of this process that a driver may use: a memfd or dma-buf. Driver::share() returns a RegionId for it.
struct SharedMemory {
  int fd = -1;          // borrowed; the driver duplicates it
  uint64_t offset = 0;  // of the region's first byte in the file; a multiple of the page size
  uint64_t size = 0;    // above 0
  bool writable = true;
  bool is_dma_buf = false;
};

// Bytes [offset, offset + length) of a region.
struct SharedRange {
  RegionId region = RegionId::kNone;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool operator==(const SharedRange&) const = default;
};

// ---- Models

enum class OperandLife : uint8_t { kTemporary, kInput, kOutput, kConstant, kOmitted };
inline constexpr uint8_t kOperandLives = 5;

// Constants up to this many bytes are in the description, longer ones in shared memory.
inline constexpr size_t kLongestInlineConstant = 128;
inline constexpr size_t kMostDimensions = 256;  // of an operand

struct ModelOperand {
  int32_t type = 0;                       // ANEURALNETWORKS_*; without meaning where `extension` is set
  std::vector<uint32_t> dimensions = {};  // NNAPI's: 0 is unknown. Empty: a scalar, or a tensor of unknown rank
  float scale = 0.0F;
  int32_t zero_point = 0;
  OperandLife life = OperandLife::kTemporary;
  std::vector<std::byte> bytes = {};               // kConstant, short
  SharedRange range = {};                          // kConstant, long: where `bytes` is empty
  std::optional<ChannelQuant> channel_quant = {};  // of TENSOR_QUANT8_SYMM_PER_CHANNEL and of no other
  std::optional<ExtensionOperand> extension = {};  // type and data of an extension
};

struct ModelOperation {
  int32_t code = 0;                                  // ANEURALNETWORKS_*; without meaning where `extension` is set
  std::optional<ExtensionOperation> extension = {};  // an operation of an extension
  std::vector<uint32_t> inputs = {};                 // operands
  std::vector<uint32_t> outputs = {};                // operands
};

// A model for a driver, without IF, WHILE and referenced models, because the runtime runs control flow itself.
struct ModelDescription {
  std::vector<ModelOperand> operands = {};
  std::vector<ModelOperation> operations = {};  // in an order in which every operand is written before it is read
  std::vector<uint32_t> inputs = {};            // operands
  std::vector<uint32_t> outputs = {};           // operands
  bool relaxed = false;                         // FLOAT32 may be computed as FLOAT16
};

// Returns BAD_DATA, with the place, unless all indexes and lives agree with each other and each constant has one place. Checks
// neither the meaning of operations nor regions, which only the driver knows.
Status check_model(const ModelDescription& model);

// Returns how many bytes a value with these dimensions has (as in ModelOperand). Returns nothing if some dimensions are unknown,
// the type has no size, or the value exceeds 2^32-1.
std::optional<uint64_t> byte_size(const ModelOperand& operand, std::span<const uint32_t> dimensions);

// A driver's answer about one operation. `reason`: why the device does not run it; empty if it does, or if the driver gives none.
struct OperationSupport {
  bool supported = false;
  std::string reason = {};
  bool operator==(const OperationSupport&) const = default;
};

inline constexpr size_t kLongestReason = 255;  // bytes

// ---- Compilations

// Files that the driver fills, or finds filled; their numbers are those in its device's description.
struct CacheFiles {
  std::vector<int> model_files = {};  // borrowed
  std::vector<int> data_files = {};   // borrowed
  std::array<uint8_t, 32> token{};
};

struct CompilationRequest {
  uint32_t device = 0;  // index into Driver::devices()
  ModelDescription model = {};
  int32_t preference = 1;
  int32_t priority = 100;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};  // the same clock in all processes of the machine
  std::optional<CacheFiles> cache = {};
  ExtensionAttributes attributes = {};
};

// A driver's preferences for the memory of one input or output; both numbers are powers of two.
struct MemoryPreference {
  uint32_t alignment = 1;
  uint32_t padding = 1;
};

struct CompiledModel {
  CompilationId id = CompilationId::kNone;
  std::vector<MemoryPreference> inputs = {};   // one per input of the model
  std::vector<MemoryPreference> outputs = {};  // one per output of the model
};

// Returns OP_FAILED unless there is an id and one preference per input and output, and all preferences are powers of two.
Status check_compiled(const CompiledModel& compiled, size_t inputs, size_t outputs);

// ---- Memory of a device

struct MemoryRole {
  CompilationId compilation = CompilationId::kNone;
  bool is_input = true;
  uint32_t index = 0;
};

struct DeviceMemoryRequest {
  std::vector<MemoryRole> roles = {};  // at least one
};

// ---- Executions

// The memory of one input or output. At most one of `range` and `memory` is set; if neither is, the argument is omitted.
struct ArgumentPlace {
  SharedRange range = {};
  MemoryId memory = MemoryId::kNone;  // made for this role; used as a whole
  // All dimensions of an input are known. For an output, 0 is an unknown dimension, and an empty list stands for the model's
  // dimensions.
  std::vector<uint32_t> dimensions = {};

  bool is_omitted() const { return range.region == RegionId::kNone && memory == MemoryId::kNone; }
};

struct ExecutionRequest {
  CompilationId compilation = CompilationId::kNone;
  std::vector<ArgumentPlace> inputs = {};
  std::vector<ArgumentPlace> outputs = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  bool measure_timing = false;
  // True if the caller only waits for the answer, so that the driver may compute or wait within the call.
  bool caller_waits = false;
  ExtensionAttributes attributes = {};
};

struct OutputAnswer {
  std::vector<uint32_t> dimensions = {};  // NNAPI's: 0 if unknown
  bool sufficient = true;                 // the memory was large enough
};

inline constexpr uint64_t kUnknownDuration = UINT64_MAX;

struct ExecutionAnswer {
  Code code = Code::kOpFailed;
  std::string message = {};                // describes the error; may be empty
  std::vector<OutputAnswer> outputs = {};  // one per output with NO_ERROR and OUTPUT_INSUFFICIENT_SIZE, else none
  uint64_t hardware_nanoseconds = kUnknownDuration;
  uint64_t driver_nanoseconds = kUnknownDuration;
};

// Returns the result of an execution with this answer, after checks. Returns OP_FAILED for a wrong number of outputs, for a code
// that executions do not end in, and for shapes that contradict the request or `declared` (the model's outputs). Success with
// unknown shapes or too little memory is OP_FAILED as well. Clears `answer.outputs` after an error.
Status check_answer(ExecutionAnswer& answer, std::span<const ModelOperand> declared, std::span<const ArgumentPlace> outputs);

}  // namespace nnvk::accelerators
