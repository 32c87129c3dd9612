// Text for pages and pictures in HTML and SVG.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nnvk::tools {

// Writes text as the content of elements and as values of attributes. Control characters but line ends and tabs, and bytes that
// are no UTF-8, become "?".
std::string escaped(std::string_view text);

// Returns the number of columns that the text takes in a font of fixed width; wide characters, such as Chinese ones, take two.
size_t columns_of(std::string_view text);

// Returns the text in at most `columns` columns (3 at least), with "..." in its middle if it is longer.
std::string shortened(std::string_view text, size_t columns);

}  // namespace nnvk::tools
