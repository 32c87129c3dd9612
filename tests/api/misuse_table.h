// The shape of the misuse tests: one row per case, its expected result code, and the call. Where the specification's table is on
// this machine, each row is also compared with it by its number.
#pragma once

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>

#include <functional>
#include <vector>

namespace nnvk::testing {

struct MisuseCase {
  int id;  // row of the misuse table; 0: a case of our own
  const char* what;
  int expected;
  std::function<int()> call;
};

// Runs every case and compares its result. Failures name the row.
void check_cases(const std::vector<MisuseCase>& cases);

}  // namespace nnvk::testing
