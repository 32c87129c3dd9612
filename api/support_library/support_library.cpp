// Makes libneuralnetworks_sl.so a driver instead of the runtime.
#include "api/composition.h"

namespace nnvk::api {

OwnDevices own_devices() { return OwnDevices::kAllButReference; }

std::vector<std::unique_ptr<Device>> further_devices() { return {}; }

}  // namespace nnvk::api
