// The hostile plugin's attacks and their allowed outcomes: one table for the plugin, the test, and the sandbox's README.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

namespace nnvk::test {

// The client that the plugin attacks.
struct Victim {
  pid_t client = 0;         // a number in the client's namespace
  std::string own_library;  // its path
  std::string secret;       // a file of the user in the folder of the library
  std::string secret_folder;
};

// The allowed result. kRefused: the call fails with some error. kAtMost: it returns a number of at most `most`. kHarmless: any
// result, as long as the client lives on.
enum class Outcome { kRefused, kAtMost, kHarmless };

struct Attack {
  const char* name;
  // Returns 0 for success, an errno above 0, or the number for kAtMost. Undoes a success as far as it can.
  int (*run)(const Victim& victim);
  Outcome outcome = Outcome::kRefused;
  int most = 0;
  // The allowed outcome under the sandbox profile gpu.
  Outcome gpu_outcome = outcome;
};

std::span<const Attack> all_attacks();

inline constexpr int kNotTried = -1;

}  // namespace nnvk::test
