// A Support Library with the extension devices.
#include "api/composition.h"

namespace nnvk::api {

OwnDevices own_devices() { return OwnDevices::kAllButReference; }

}  // namespace nnvk::api
