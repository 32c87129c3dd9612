// What makes libneuralnetworks_sl.so a driver and not the runtime.
#include "api/composition.h"

namespace nnvk::api {

bool offers_reference_device() { return false; }

std::vector<std::unique_ptr<Device>> further_devices() { return {}; }

}  // namespace nnvk::api
