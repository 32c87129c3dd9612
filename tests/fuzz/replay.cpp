// A target as a test: its seeds, the kept corpus, and mutations of both, the same in every run. Usage:
//
//   `replay_<target> FOLDER [RUNS [SEED]]`     FOLDER is the kept corpus, or one file to try. Another SEED makes other mutations.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "tests/fuzz/target.h"

namespace nnvk::fuzz {
namespace {

using Random = std::mt19937;

Input read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

std::vector<Input> read_corpus(const std::filesystem::path& path) {
  if (std::filesystem::is_regular_file(path)) return {read_file(path)};
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> inputs;
  for (const auto& file : files) inputs.push_back(read_file(file));
  return inputs;
}

size_t below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

void put_number(Input& input, Random& random) {
  constexpr uint32_t kNumbers[] = {0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  const uint32_t number = kNumbers[below(random, std::size(kNumbers))];
  const size_t size = size_t{1} << below(random, 3);
  if (input.size() < size) return;
  std::copy_n(reinterpret_cast<const std::byte*>(&number), size,
              input.begin() + static_cast<ptrdiff_t>(below(random, input.size() - size + 1)));
}

void mutate(Input& input, const std::vector<Input>& all, Random& random) {
  const auto at = static_cast<ptrdiff_t>(below(random, input.size()));
  switch (random() % 6) {
    case 0:
      if (!input.empty()) input[static_cast<size_t>(at)] ^= std::byte{1} << below(random, 8);
      break;
    case 1:
      put_number(input, random);
      break;
    case 2:
      input.resize(below(random, input.size() + 1));
      break;
    case 3:
      input.insert(input.begin() + at, 1 + below(random, 16), static_cast<std::byte>(random()));
      break;
    case 4: {
      const auto end = at + static_cast<ptrdiff_t>(below(random, std::min<size_t>(16, input.size() - static_cast<size_t>(at))));
      input.erase(input.begin() + at, input.begin() + end);
      break;
    }
    default: {  // the tail of another input
      const Input& other = all[below(random, all.size())];
      const auto from = static_cast<ptrdiff_t>(below(random, other.size()));
      input.resize(static_cast<size_t>(at));
      input.insert(input.end(), other.begin() + from, other.end());
    }
  }
}

}  // namespace
}  // namespace nnvk::fuzz

int main(int count, char** arguments) {
  using namespace nnvk::fuzz;
  if (count < 2) {
    std::fprintf(stderr, "usage: %s FOLDER|FILE [RUNS [SEED]]\n", arguments[0]);
    return 2;
  }
  std::vector<Input> inputs = seeds();
  require(!inputs.empty(), "a target has seeds");
  for (Input& input : read_corpus(arguments[1])) inputs.push_back(std::move(input));
  for (const Input& input : inputs) run(input);
  const int runs = count > 2 ? std::atoi(arguments[2]) : 0;
  Random random(count > 3 ? static_cast<Random::result_type>(std::atoi(arguments[3])) : 1);
  for (int i = 0; i < runs; ++i) {
    Input input = inputs[below(random, inputs.size())];
    for (size_t steps = 1 + random() % 4; steps > 0; --steps) mutate(input, inputs, random);
    run(input);
  }
  std::printf("%zu inputs and %d mutations of them\n", inputs.size(), runs);
  return 0;
}
