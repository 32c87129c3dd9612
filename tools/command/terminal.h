// Colours on terminals.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace nnvk::tools {

enum class Colour { kRed, kGreen, kYellow, kBold };

// Returns true if texts for `output` may have colours: it is a terminal that shows them (TERM is set, and not "dumb"), and the
// environment variable NO_COLOR is not set or empty (https://no-color.org). CLICOLOR_FORCE colours files as well.
bool shows_colours(std::FILE* output);

// Returns the text in this colour if `output` shows colours, else the text itself.
std::string coloured(std::FILE* output, Colour colour, std::string_view text);

// Colours the words that say how something ended: green "passed", "good", "better"; red "failed", "bad", "worse"; yellow for
// others.
std::string coloured_verdict(std::FILE* output, std::string_view verdict);

}  // namespace nnvk::tools
