// The form of the misuse tests: one row per case, with its expected result code and the call. If this machine has the
// specification's table, check_cases() also compares each row with it by its number.
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

// The call of a row, on one line: an expression that gives the result code. check_cases() runs it.
#define NNVK_CALL(...) [&] { return __VA_ARGS__; }

// Runs every case and compares its result. Failures name the row.
void check_cases(const std::vector<MisuseCase>& cases);

// Marks rows that cannot run here as skipped, so that they do not count as forgotten: the machine has too few devices, or
// nothing can make such an object.
void skip_rows(std::initializer_list<int> ids);

// Each test program that links this defines the next two functions once.
// Whether the program tests rows about this function; it must then test all of them.
bool owns_rows_of(const std::string& function);
// The library's message about the last refused call; nullptr if the program cannot see it.
const char* last_refusal();

}  // namespace nnvk::test
