// A graph as a session of the runtime's own CPU provider, without nnvk, for comparisons.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clients/onnxruntime_provider/names.h"
#include "clients/onnxruntime_provider/runtime_api.h"

namespace nnvk::clients::onnxruntime {

class RuntimeSession {
 public:
  // Makes a session of a graph whose inputs have known shapes. Long constants stay where `graph` has them, which must outlive the
  // session. `threads`: 0: the runtime's default. Fails for attributes that the runtime's model editor cannot make: tensors and
  // graphs. Other errors are those of the runtime. Only one such object may exist at a time.
  static Result<std::unique_ptr<RuntimeSession>> make(const Graph& graph, int threads);
  ~RuntimeSession();
  RuntimeSession(const RuntimeSession&) = delete;
  RuntimeSession& operator=(const RuntimeSession&) = delete;

  // Computes once, from zeros, and drops the outputs.
  Status run() const;

 private:
  RuntimeSession() = default;
  Status start(const Graph& graph, int threads);

  OrtEnv* environment_ = nullptr;   // the process has one; this counts as a use of it
  OrtMemoryInfo* arena_ = nullptr;  // registered with the environment as long as this object lives; null: none
  OrtSession* session_ = nullptr;
  std::vector<std::string> names_;  // of the inputs, then of the outputs
  std::vector<OrtValue*> inputs_;
};

}  // namespace nnvk::clients::onnxruntime
