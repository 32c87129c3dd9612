// The test plugin (test_plugin.cpp), which runs all attacks of attacks.h when its code runs for the first time in each stage.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "tests/accelerators/host/hostile/attacks.h"
#include "tests/accelerators/host/test_plugin.h"

namespace nnvk::test {
namespace {

// The name of the library's file names the victim: "client_<pid>.so". The user's file "secret" lies beside it.
Victim find_victim() {
  Dl_info about{};
  ::dladdr(reinterpret_cast<void*>(&find_victim), &about);
  Victim victim;
  victim.own_library = about.dli_fname;
  const size_t slash = victim.own_library.rfind('/');
  victim.secret_folder = victim.own_library.substr(0, slash);
  victim.secret = victim.secret_folder + "/secret";
  const size_t number = victim.own_library.rfind('_');
  victim.client = std::atoi(victim.own_library.c_str() + number + 1);
  return victim;
}

using Results = std::vector<int>;
std::array<Results, kStages>& results() {
  static std::array<Results, kStages> all;
  return all;
}

}  // namespace

void attack(Stage stage) {
  Results& own = results()[static_cast<size_t>(stage)];
  if (!own.empty()) return;
  const Victim victim = find_victim();
  for (const Attack& attack : all_attacks()) own.push_back(attack.run(victim));
}

void report_attacks(float* answers) {
  for (const Results& stage : results()) {
    for (size_t i = 0; i < all_attacks().size(); ++i) *answers++ = static_cast<float>(i < stage.size() ? stage[i] : kNotTried);
  }
}

namespace {
[[gnu::constructor]] void on_loading() { attack(Stage::kConstructor); }
}  // namespace

}  // namespace nnvk::test
