// A Support Library with the extension devices.
#include "api/composition.h"

namespace nnvk::api {

OwnDevices own_devices() { return OwnDevices::kAllButReference; }

bool loads_plugins() { return false; }

}  // namespace nnvk::api
