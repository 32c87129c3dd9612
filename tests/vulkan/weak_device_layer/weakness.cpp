// Parses the words of the environment variable.
#include "tests/vulkan/weak_device_layer/weakness.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace nnvk::weak_device {
namespace {

// Adds the fault of a word; false if it is none.
bool add_fault(std::string_view word, std::map<uint64_t, Fault>& faults) {
  for (const FaultWord& known : kFaultWords) {
    const std::string_view prefix = known.prefix;
    if (!word.starts_with(prefix)) continue;
    uint64_t submission = 0;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data() + prefix.size(), last, submission);
    if (error != std::errc() || end != last) return false;
    faults[submission] = known.fault;
    return true;
  }
  return false;
}

}  // namespace

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
    known = known || add_fault(word, made.faults_);
    if (!known) made.unknown_ += (made.unknown_.empty() ? "" : ", ") + std::string(word);
  }
  return made;
}

Fault Weaknesses::fault_at(uint64_t submission) const {
  const auto found = faults_.find(submission);
  return found == faults_.end() ? Fault::kNone : found->second;
}

}  // namespace nnvk::weak_device
