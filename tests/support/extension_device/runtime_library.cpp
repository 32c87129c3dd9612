// A libneuralnetworks.so with the extension devices.
#include "api/composition.h"

namespace nnvk::api {

OwnDevices own_devices() { return OwnDevices::kAll; }

}  // namespace nnvk::api
