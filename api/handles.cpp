#include "api/handles.h"

namespace nnvk::api {

#define NNVK_DISPOSE(Handle)                   \
  template <>                                  \
  void dispose<Handle>(const void* handle) {   \
    delete static_cast<const Handle*>(handle); \
  }
NNVK_DISPOSE(ANeuralNetworksBurst)
NNVK_DISPOSE(ANeuralNetworksCompilation)
NNVK_DISPOSE(ANeuralNetworksEvent)
NNVK_DISPOSE(ANeuralNetworksMemory)
NNVK_DISPOSE(ANeuralNetworksMemoryDesc)
NNVK_DISPOSE(ANeuralNetworksModel)
#undef NNVK_DISPOSE

// A running computation uses the execution to its end; a task that ANeuralNetworksExecution_create has set destroys it then.
template <>
void dispose<ANeuralNetworksExecution>(const void* handle) {
  const auto* const execution = static_cast<const ANeuralNetworksExecution*>(handle);
  const std::shared_ptr<Execution> core = execution->execution;
  core->end_when_idle();
}

}  // namespace nnvk::api
