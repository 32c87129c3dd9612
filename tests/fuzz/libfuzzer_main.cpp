// libFuzzer's entry to a target. With --write-seeds FOLDER as its first argument the program writes the target's seeds there and
// ends.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count < 3 || std::strcmp((*arguments)[1], "--write-seeds") != 0) return 0;
  size_t number = 0;
  for (const nnvk::fuzz::Input& seed : nnvk::fuzz::seeds()) {
    std::ofstream file(std::string((*arguments)[2]) + "/seed_" + std::to_string(number++), std::ios::binary);
    file.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
  }
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nnvk::fuzz::run(std::as_bytes(std::span(data, size)));
  return 0;
}
