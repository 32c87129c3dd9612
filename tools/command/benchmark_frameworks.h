// Stock frameworks as engines of a benchmark. A framework whose headers were missing at build time gives an error that says so.
#pragma once

#include <memory>
#include <string>

#include "tools/command/benchmark_engine.h"

namespace nnvk::tools {

Result<std::string> onnx_runtime_version(const std::string& library);
Result<std::string> tensorflow_lite_version(const std::string& library);

// Makes the engine. `model` must outlive it.
Result<std::unique_ptr<Engine>> make_onnx_runtime_engine(const std::string& library, const importers::ImportedModel& model,
                                                         const EngineSettings& settings);
Result<std::unique_ptr<Engine>> make_tensorflow_lite_engine(const std::string& library, const importers::ImportedModel& model,
                                                            const EngineSettings& settings);

}  // namespace nnvk::tools
