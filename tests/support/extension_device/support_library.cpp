// A Support Library with the extension devices.
#include "api/composition.h"

namespace nnvk::api {

bool offers_reference_device() { return false; }

}  // namespace nnvk::api
