// A request whose bindings are its own: submit() returns before the execution runs.
#pragma once

#include <vector>

#include "core/runtime/device.h"

namespace nnvk {

struct OwnedRequest {
  explicit OwnedRequest(const Request& from)
      : inputs(from.inputs.begin(), from.inputs.end()), outputs(from.outputs.begin(), from.outputs.end()), request(from) {
    request.inputs = inputs;
    request.outputs = outputs;
    request.behind = {};  // owned by the submitter
  }
  OwnedRequest(const OwnedRequest&) = delete;
  OwnedRequest& operator=(const OwnedRequest&) = delete;

  // Releases everything. Call it at the end of the execution: whoever is notified of that end may free the memory that it used.
  void clear() {
    request = {};
    inputs.clear();
    outputs.clear();
  }

  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  Request request;  // over these
};

}  // namespace nnvk
