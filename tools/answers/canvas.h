// A picture to draw on: lines, discs, rectangles, text and tinted pixels. Everything outside of the picture is cut off.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tools/answers/answer.h"

namespace nnvk::tools::answers {

using Colour = std::array<float, 3>;  // red, green and blue from 0 to 255

// Returns a colour for the number of a class or detection; neighbours differ clearly.
Colour colour_of(size_t number);

class Canvas {
 public:
  // Draws on a copy of `picture` (1, 3 or 4 channels). Enlarges small pictures by whole factors, so that text can be read. A copy
  // of four channels keeps its alpha, and what is drawn is opaque.
  explicit Canvas(const Picture& picture);

  int width() const { return static_cast<int>(picture_.width); }
  int height() const { return static_cast<int>(picture_.height); }
  int stroke() const { return stroke_; }        // the width of lines, in pixels
  int text_height() const;                      // with a margin above and below
  int text_width(std::string_view text) const;  // with a margin left and right

  // These functions take places in pixels.
  void line(int x0, int y0, int x1, int y1, const Colour& colour);
  void disc(int x, int y, int radius, const Colour& colour);
  void frame(int left, int top, int right, int bottom, const Colour& colour);  // the lines of a rectangle
  void fill(int left, int top, int right, int bottom, const Colour& colour);   // without the last row and column
  void tint(int x, int y, const Colour& colour);  // mixes the pixel with the colour; lays it over a transparent one
  // Writes text on a filled rectangle with this upper left corner, moved into the picture if it reaches beyond.
  void label(int left, int top, std::string_view text, const Colour& background);

  const Picture& picture() const { return picture_; }

 private:
  void put(int x, int y, const Colour& colour);

  Picture picture_;
  int stroke_ = 1;
  int text_scale_ = 1;
};

}  // namespace nnvk::tools::answers
