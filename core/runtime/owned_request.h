// A request that owns its bindings, because it is needed after submit() has returned.
#pragma once

#include <vector>

#include "core/runtime/device.h"

namespace nnvk {

struct OwnedRequest {
  explicit OwnedRequest(const Request& from)
      : inputs(from.inputs.begin(), from.inputs.end()), outputs(from.outputs.begin(), from.outputs.end()), request(from) {
    request.inputs = inputs;
    request.outputs = outputs;
    request.behind = {};  // the caller's, valid only during submit_behind()
  }
  OwnedRequest(const OwnedRequest&) = delete;
  OwnedRequest& operator=(const OwnedRequest&) = delete;

  // Releases everything. Call it before the end of the execution is announced: the client may then free the memory that the
  // execution used.
  void clear() {
    request = {};
    inputs.clear();
    outputs.clear();
  }

  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  Request request;  // its spans refer to the vectors above
};

}  // namespace nnvk
