// Reasons why a device of this library does not run operations, for the runtime that loaded the library as a plugin.
#include "api/call.h"
#include "api/instance.h"
#include "api/support_library/functions.h"
#include "core/plan/plan_builder.h"
#include "core/runtime/placement.h"

int nnvk_explainDeclinedOperations(const ANeuralNetworksModel* model, const ANeuralNetworksDevice* device,
                                   nnvk_DeclinedOperationCallback callback, void* context) {
  using namespace nnvk;
  return api::call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(device), NNVK_ARGUMENT(callback)}, [&]() -> Status {
    NNVK_TRY(model->model.require_finished());
    NNVK_ASSIGN(const auto plan, build_plan(model->model));
    const std::vector<Placement> placements = place_on(*device->device, *plan);
    for (size_t n = 0; n < placements.size(); ++n) {
      if (!placements[n].supported) callback(plan->nodes[n].source_operation, placements[n].reason.c_str(), context);
    }
    return {};
  });
}
