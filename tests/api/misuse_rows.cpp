// Which rows of the misuse table are about libneuralnetworks.so: all but those of the Support Library's own functions and of the
// shim that serves one to Android's service manager, which no library of this project has.
#include <nnvk/diagnostics.h>

#include "tests/api/misuse_table.h"

namespace nnvk::test {

bool owns_rows_of(const std::string& function) {
  for (const char* prefix : {"SL_ANeuralNetworks", "ANeuralNetworks_getSLDriverImpl", "ANeuralNetworksShim"}) {
    if (function.rfind(prefix, 0) == 0) return false;
  }
  return true;
}

const char* last_refusal() { return nnvk_lastError(); }

}  // namespace nnvk::test
