// Finds the word that a user may have meant. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nnvk::tools {

// Returns the word that the fewest typing mistakes (a letter too much, too few, another one, or two that changed places) make out
// of `given`. Empty if none is near: more than a third of the letters would be wrong, and
// `given` is not the beginning of exactly one word.
std::string nearest_word(std::string_view given, std::span<const std::string> words);

}  // namespace nnvk::tools
