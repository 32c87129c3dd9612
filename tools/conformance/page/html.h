// HTML: escaping, and the frame of a page that needs no other file.
#pragma once

#include <string>
#include <string_view>

namespace nnvk::tools::conformance {

// Escapes a text for elements and attributes. Names and messages come from drivers and from files, so that they may hold
// anything.
std::string html(std::string_view text);

// Cuts a text of more than `most` bytes, and says so at its end. Does not cut UTF-8 characters.
std::string clipped(std::string_view text, size_t most);

// The whole document. `title` is plain text, `body` is HTML.
std::string document(std::string_view title, std::string_view body);

}  // namespace nnvk::tools::conformance
