// Checks of the values of options. Each error says which values are right, and names the wrong one.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tools/command/nearest_word.h"

namespace nnvk::tools {

// One of these words.
inline CLI::Validator one_of(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& value) -> std::string {
    if (std::ranges::find(words, value) != words.end()) return {};
    std::string list;
    for (size_t i = 0; i < words.size(); ++i) {
      list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    const std::string nearest = nearest_word(value, words);
    return fmt::format("must be {}, not '{}'{}", list, value, nearest.empty() ? "" : "; did you mean " + nearest + "?");
  };
  return CLI::Validator(check, "");
}

// One of these words, as the number of its place in the list.
inline CLI::Validator place_of(const std::vector<std::string>& words) {
  const auto replace = [words, check = one_of(words)](std::string& value) -> std::string {
    if (auto error = check(value); !error.empty()) return error;
    value = std::to_string(std::ranges::find(words, value) - words.begin());
    return {};
  };
  return CLI::Validator(replace, "");
}

// A number in this range. The help shows the range unless `last` is the largest number.
template <typename Number>
CLI::Validator number_from(Number first, Number last = std::numeric_limits<Number>::max()) {
  const bool is_open = last == std::numeric_limits<Number>::max();
  const std::string range = is_open ? fmt::format("{} or more", first) : fmt::format("from {} to {}", first, last);
  const auto check = [=](const std::string& value) -> std::string {
    Number number{};
    const bool is_negative = value.starts_with('-');  // strtoull() turns -1 into a large number
    const bool has_sign = std::is_unsigned_v<Number> && is_negative;
    if (!has_sign && CLI::detail::lexical_cast(value, number) && number >= first && number <= last) return {};
    return fmt::format("must be a number {}{}, not '{}'", is_open ? "of " : "", range, value);
  };
  return CLI::Validator(check, is_open ? "" : range);
}

// A number that may have decimals, and of which `is_right` is true. Infinities are none. `which`: "a number".
inline CLI::Validator real_number(std::string which, const std::function<bool(double)>& is_right) {
  const auto check = [which = std::move(which), is_right](const std::string& value) -> std::string {
    double number = 0;
    if (CLI::detail::lexical_cast(value, number) && std::isfinite(number) && is_right(number)) return {};
    return fmt::format("must be {}, not '{}'", which, value);
  };
  return CLI::Validator(check, "");
}
inline CLI::Validator finite_number() {
  return real_number("a number", [](double) { return true; });
}
// A year: more than that overflows the clocks' arithmetic some day, and is a mistake.
inline constexpr double kMostSeconds = 365.0 * 24 * 3600;
inline CLI::Validator positive_number(double most) {
  return real_number(fmt::format("a number above 0, and at most {:.0f}", most),
                     [most](double number) { return number > 0 && number <= most; });
}

// A number of bytes, with a unit or without, as the number of bytes.
inline CLI::Validator byte_size() {
  const auto replace = [](std::string& value) -> std::string {
    const std::string given = value;
    try {
      const bool is_positive = !given.starts_with('-') && CLI::AsSizeValue(false)(value).empty() && value != "0";
      if (is_positive) return {};
    } catch (const CLI::ValidationError&) {  // a wrong unit
    }
    return fmt::format("must be a size such as 500MiB or 8GiB, or a number of bytes, not '{}'", given);
  };
  return CLI::Validator(replace, "");
}

}  // namespace nnvk::tools
