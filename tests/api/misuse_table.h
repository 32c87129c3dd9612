// The shape of the misuse tests: one row per case, its expected result code, and the call. Where the specification's table is on
// this machine, each row is also compared with it by its number.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/api/result_codes.h"

namespace nnvk::test {

struct MisuseCase {
  int id;  // row of the misuse table; 0: a case of our own
  const char* what;
  int expected;
  std::function<int()> call;
};

// The call of a row, on one line: an expression that gives the result code. It runs where the row is checked.
#define NNVK_CALL(...) [&] { return __VA_ARGS__; }

// Runs every case and compares its result. Failures name the row.
void check_cases(const std::vector<MisuseCase>& cases);

// Rows that cannot be tried here (one device only, nothing that makes such an object), so that they do not count as forgotten.
void skip_rows(std::initializer_list<int> ids);

// Each test program that links this defines the two below once.
// Whether rows about this function belong to the program; all of them need a test in it.
bool owns_rows_of(const std::string& function);
// What the library said about the last refused call; nullptr when the program cannot see that.
const char* last_refusal();

}  // namespace nnvk::test
