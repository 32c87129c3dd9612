// Words of command lines that a user can copy.
#pragma once

#include <string>

namespace nnvk::tools {

// Quotes a word for the shell if it needs quotes.
std::string shell_word(const std::string& word);

}  // namespace nnvk::tools
