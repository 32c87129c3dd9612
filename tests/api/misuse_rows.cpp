// The rows of the misuse table that concern libneuralnetworks.so. Excluded are the Support Library's own functions, and those of
// the shim that offers one to Android's service manager. No library of this project contains the shim.
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
