// Escapes and measures UTF-8.
#include "tools/markup/text.h"

#include <algorithm>
#include <vector>

namespace nnvk::tools {
namespace {

// Returns how many bytes the first character of `text` has, or 0 if valid UTF-8 does not begin there.
size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  size_t length = 1;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (first >= 0xE0 && first < 0xF0) length = 3;
  if (first >= 0xC2 && first < 0xE0) length = 2;
  if (length == 1 && first >= 0x80) return 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0;
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_no_character = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return is_overlong || is_no_character ? 0 : length;
}

// Lists the characters of the text; each byte that belongs to no character stands alone.
std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const size_t length = std::max<size_t>(character_length(text), 1);
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

// Returns how many columns the character takes. Scripts with wide characters begin at U+1100, whose first byte is 0xE1.
size_t columns_of_character(std::string_view character) {
  return static_cast<unsigned char>(character[0]) > 0xE1 && character.size() > 2 ? 2 : 1;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const std::string_view character : characters_of(text)) {
    const auto first = static_cast<unsigned char>(character[0]);
    if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7F || character_length(character) == 0) {
      result += '?';
    } else if (first == '&') {
      result += "&amp;";
    } else if (first == '<') {
      result += "&lt;";
    } else if (first == '>') {
      result += "&gt;";
    } else if (first == '"') {
      result += "&quot;";
    } else if (first == '\'') {
      result += "&#39;";
    } else {
      result += character;
    }
  }
  return result;
}

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  for (const std::string_view character : characters_of(text)) columns += columns_of_character(character);
  return columns;
}

std::string shortened(std::string_view text, size_t columns) {
  constexpr std::string_view kGap = "...";
  if (columns_of(text) <= columns) return std::string(text);
  const std::vector<std::string_view> characters = characters_of(text);
  const size_t kept = columns - kGap.size();
  std::string begin;
  for (size_t i = 0, used = 0; (used += columns_of_character(characters[i])) <= kept - kept / 2; ++i) begin += characters[i];
  std::string end;
  for (size_t i = characters.size(), used = 0; (used += columns_of_character(characters[i - 1])) <= kept / 2; --i) {
    end.insert(0, characters[i - 1]);
  }
  return begin + std::string(kGap) + end;
}

}  // namespace nnvk::tools
