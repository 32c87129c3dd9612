// A libneuralnetworks.so with the extension devices.
#include "api/composition.h"

namespace nnvk::api {

bool offers_reference_device() { return true; }

}  // namespace nnvk::api
