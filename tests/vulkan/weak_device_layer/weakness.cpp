// Parses the words of the environment variable.
#include "tests/vulkan/weak_device_layer/weakness.h"

#include <algorithm>
#include <iterator>

namespace nnvk::weak_device {

Weaknesses Weaknesses::parse(std::string_view words) {
  Weaknesses made;
  while (!words.empty()) {
    const size_t end = std::min(words.find(','), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.empty()) continue;
    const bool all = word == "all";
    bool known = all;
    for (const Weakness& weakness : kWeaknesses) {
      if (!all && word != weakness.word) continue;
      made.words_.insert(weakness.word);
      known = true;
    }
    if (!known) made.unknown_ += (made.unknown_.empty() ? "" : ", ") + std::string(word);
  }
  return made;
}

}  // namespace nnvk::weak_device
