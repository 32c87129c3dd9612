// Checks of the values of options. Each error says which values are right, and names the wrong one.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace nnvk::tools {

// One of these words.
inline CLI::Validator one_of(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& value) -> std::string {
    if (std::ranges::find(words, value) != words.end()) return {};
    std::string list;
    for (size_t i = 0; i < words.size(); ++i) {
      list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    return fmt::format("must be {}, not '{}'", list, value);
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
    if (CLI::detail::lexical_cast(value, number) && number >= first && number <= last) return {};
    return fmt::format("must be a number {}{}, not '{}'", is_open ? "of " : "", range, value);
  };
  return CLI::Validator(check, is_open ? "" : range);
}

// A number that may have decimals, and of which `is_right` is true. Infinities are none. `which`: "a number".
inline CLI::Validator real_number(std::string which, bool (*is_right)(double)) {
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
inline CLI::Validator positive_number() {
  return real_number("a number above 0", [](double number) { return number > 0; });
}

// A number of bytes, with a unit or without, as the number of bytes.
inline CLI::Validator byte_size() {
  const auto replace = [](std::string& value) -> std::string {
    const std::string given = value;
    try {
      if (CLI::AsSizeValue(false)(value).empty()) return {};
    } catch (const CLI::ValidationError&) {  // a wrong unit
    }
    return fmt::format("must be a size such as 500MiB or 8GiB, or a number of bytes, not '{}'", given);
  };
  return CLI::Validator(replace, "");
}

}  // namespace nnvk::tools
