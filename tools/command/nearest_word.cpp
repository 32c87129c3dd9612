#include "tools/command/nearest_word.h"

#include <algorithm>
#include <vector>

namespace nnvk::tools {
namespace {

// Returns the number of typing mistakes: the optimal string alignment distance.
size_t mistakes(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> least(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        least[i][j] = i + j;
        continue;
      }
      least[i][j] = std::min({least[i - 1][j] + 1, least[i][j - 1] + 1, least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool are_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_swapped) least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
    }
  }
  return least[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(std::string_view given, std::span<const std::string> words) {
  constexpr size_t kLongestWord = 100;
  constexpr size_t kShortestBeginning = 3;  // "--" begins every option
  if (given.size() > kLongestWord) return {};
  std::string_view nearest;
  size_t fewest = given.size() / 3 + 1;
  for (const std::string& word : words) {
    if (const size_t count = mistakes(given, word); count < fewest) {
      fewest = count;
      nearest = word;
    }
  }
  if (!nearest.empty() || given.size() < kShortestBeginning) return std::string(nearest);
  const auto begins = [&](const std::string& word) { return word.starts_with(given); };
  return std::ranges::count_if(words, begins) == 1 ? *std::ranges::find_if(words, begins) : std::string();
}

}  // namespace nnvk::tools
