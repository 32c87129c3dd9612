// What makes libneuralnetworks.so the runtime and not a driver.
#include "api/composition.h"

namespace nnvk::api {

bool offers_reference_device() { return true; }

std::vector<std::unique_ptr<Device>> further_devices() { return {}; }

}  // namespace nnvk::api
