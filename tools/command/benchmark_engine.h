// The engines of a benchmark: a model on a device of the library, or on a stock framework's own code. Each is made in the process
// that measures it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "importers/imported_model.h"
#include "tools/nnapi/session.h"
#include "tools/reports/profile.h"

namespace nnvk::tools {

enum class EngineKind : uint8_t { kDevice, kOnnxRuntime, kTensorFlowLite };

struct EngineChoice {
  EngineKind kind = EngineKind::kDevice;
  std::string name;            // a device's name, or the framework with its version
  std::string framework_file;  // its library
};

// Returns whether the framework reads files of this kind; devices compute all files.
bool reads(EngineKind kind, const std::filesystem::path& model);

// Returns the version of a framework's library. An error if it cannot be loaded, or if this program was built without the
// framework's headers.
Result<std::string> framework_version(EngineKind kind, const std::string& library);

// The numbers of every output.
using Reals = std::vector<std::vector<float>>;

// A place for one execution at a time. Several lanes of an engine may run at the same time, each on a thread of its own.
class Lane {
 public:
  virtual ~Lane() = default;
  // Sets the bytes of all inputs, as NNAPI declares them; they stay until the next call.
  virtual Status set_inputs(const Buffers& inputs) = 0;
  virtual Status run() = 0;
  // Returns the outputs for these inputs. May compute once more.
  virtual Result<Reals> outputs() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Result<std::unique_ptr<Lane>> lane() = 0;
  // Returns the times of the operations; empty for frameworks.
  virtual Result<std::vector<ProfiledNode>> profile(const Buffers& inputs) = 0;
};

struct EngineSettings {
  std::filesystem::path file{};
  int threads = 1;  // of a framework; the library's devices choose by themselves
};

// Compiles the model. `model` is the import of the file and must outlive the engine.
Result<std::unique_ptr<Engine>> make_engine(const EngineChoice& choice, const importers::ImportedModel& model,
                                            const EngineSettings& settings);

}  // namespace nnvk::tools
