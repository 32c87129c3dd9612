// What makes libneuralnetworks.so the runtime and not a driver.
#include "api/composition.h"

namespace nnvk::api {

bool offers_cpu_device() { return true; }

}  // namespace nnvk::api
