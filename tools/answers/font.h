// A small bitmap font for labels in pictures: the printable characters of ASCII.
#pragma once

namespace nnvk::tools::answers {

inline constexpr int kGlyphWidth = 5;
inline constexpr int kGlyphHeight = 8;

// Returns whether a pixel of a letter is drawn. Letters that the font lacks look like a question mark.
bool is_ink(char letter, int column, int row);

}  // namespace nnvk::tools::answers
