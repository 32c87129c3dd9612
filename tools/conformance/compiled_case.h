// A conformance case built and compiled for one device, which can then be computed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/conformance/vector_case.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/model_builder.h"

namespace nnvk::tools::conformance {

// How executions are started. kReusable computes all rounds with the same execution. kMixed chooses one of the other modes by the
// case's name.
enum class Mode { kSync, kAsync, kBurst, kFenced, kReusable, kMixed };
inline constexpr Mode kModes[] = {Mode::kSync, Mode::kAsync, Mode::kBurst, Mode::kFenced, Mode::kReusable, Mode::kMixed};
// Returns the mode's name as in --mode: "sync", "async", ...
const char* mode_name(Mode mode);

struct CaseOutput {
  std::vector<uint32_t> shape;  // as reported
  std::vector<uint8_t> bytes;   // of that shape, or of the buffer if that is smaller
  bool guards_intact = true;    // false: bytes before or after the buffer were written
};
using CaseOutputs = std::vector<CaseOutput>;

// A finished model, and the memory in which its constants lie.
struct BuiltModel {
  MemoryHandle memory;  // before builder: freed after it
  std::optional<ModelBuilder> builder;
};

// The models of a case.
struct BuiltCase {
  std::vector<BuiltModel> referenced;
  BuiltModel main;  // freed before those it refers to
};
// Builds the models of a case, which refer to its constants. Errors are those of the library.
Result<BuiltCase> build_case(const VectorCase& c);

class CompiledCase {
 public:
  // Compiles a case, which must stay unchanged. Returns the library's errors. If the device lacks an operation, it compiles
  // nothing, and unsupported() names the operation.
  static Result<CompiledCase> make(const VectorCase& c, const DeviceEntry& device);
  const std::string& unsupported() const { return unsupported_; }

  // Computes `rounds` times into buffers of the expected sizes; fills them with a pattern before each round.
  Result<std::vector<CaseOutputs>> run(const VectorCase& c, Mode mode, int rounds);

  // Computes a case without expectations; the library tells the sizes of the outputs.
  Result<CaseOutputs> run_with_unknown_sizes(const VectorCase& c);

 private:
  BuiltCase models_;
  CompilationHandle compilation_;  // freed before its models
  std::string unsupported_;
};

// Returns, for each operation of the main model, whether the device claims to run it.
Result<std::vector<bool>> supported_operations(const VectorCase& c, const DeviceEntry& device);

}  // namespace nnvk::tools::conformance
