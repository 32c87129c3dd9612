// Pages in HTML: tables, and the frame of a page that needs no other file.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace nnvk::tools {

// Cuts a text of more than `most` bytes, and notes that at its end. Does not cut UTF-8 characters.
std::string clipped(std::string_view text, size_t most);

// A cell of a table: its content as HTML, and the class that says how it looks, as in "number".
struct Cell {
  std::string content;
  std::string_view kind = "";
};

// Returns the start of a table that scrolls if it is wider than the page, with a line of headings unless `headings` is empty.
// `frame` and `kind` are classes of the parts. kTableEnd ends it.
std::string table_start(std::string_view frame, std::string_view kind, std::initializer_list<Cell> headings);
std::string table_row(std::initializer_list<Cell> cells);
inline constexpr std::string_view kTableEnd = "</table></div>";

// Writes the whole document. `title` is plain text, `body` is HTML.
std::string document(std::string_view title, std::string_view body);

}  // namespace nnvk::tools
