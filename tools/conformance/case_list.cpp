#include "tools/conformance/case_list.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <set>

#include "tools/conformance/families.h"
#include "tools/conformance/generators/draft.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

// Returns "V1_0/add" for the file .../V1_0/add.jsonl.
std::string spec_of(const std::filesystem::path& path) { return (path.parent_path().filename() / path.stem()).generic_string(); }

// Reads lines at offsets of vector files and keeps the last file open.
class LineReader {
 public:
  Result<std::string> read(const std::filesystem::path& path, std::streamoff offset) {
    if (path != open_) stream_ = std::ifstream(path, std::ios::binary);
    open_ = path;
    stream_.clear();
    stream_.seekg(offset);
    std::string line;
    if (!std::getline(stream_, line)) return fail(fmt::format("cannot read {} at byte {}", path.string(), offset));
    return line;
  }

 private:
  std::filesystem::path open_;
  std::ifstream stream_;
};

Result<VectorCase> read_case(LineReader& reader, const std::filesystem::path& path, std::streamoff offset) {
  TOOLS_ASSIGN(const auto line, reader.read(path, offset));
  auto parsed = parse_case(line);
  if (!parsed) return fail("the vector is malformed: " + parsed.error().message);
  return parsed;
}

struct Fraction {
  uint32_t index = 0;
  uint32_t parts = 1;
};

Result<Fraction> parse_fraction(const std::string& text) {
  if (text.empty()) return Fraction{};
  Fraction fraction;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, fraction.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto parts = std::from_chars(index.ptr + 1, end, fraction.parts);
    if (parts.ec == std::errc() && parts.ptr == end && fraction.index >= 1 && fraction.index <= fraction.parts) {
      --fraction.index;
      return fraction;
    }
  }
  return fail(fmt::format("--fraction {}: must be I/N with 1 <= I <= N, as in 2/8", text), kWrongOption);
}

Result<std::set<std::string>> read_names(const std::string& path) {
  std::set<std::string> names;
  if (path.empty()) return names;
  TOOLS_ASSIGN(const std::string text, read_text_file(path));
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line.resize(std::min(line.size(), line.find('#')));
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    names.insert(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
  }
  if (names.empty()) return fail(fmt::format("the case list {} has no names", path));
  return names;
}

// Matches names with patterns. A pattern that is the whole name of a case selects this case alone, not the longer names that
// contain it.
class Patterns {
 public:
  Patterns(const std::vector<std::string>& patterns, const std::vector<CaseEntry>& entries) {
    std::set<std::string_view> names;
    if (!patterns.empty()) {
      for (const auto& entry : entries) names.insert(entry.dotted);
    }
    for (const auto& pattern : patterns) (names.contains(pattern) ? whole_ : parts_).push_back(pattern);
  }

  bool is_empty() const { return whole_.empty() && parts_.empty(); }
  bool match(const CaseEntry& entry) const {
    return std::ranges::find(whole_, entry.dotted) != whole_.end() ||
           std::ranges::any_of(parts_, [&](const auto& pattern) { return matches(pattern, entry.dotted, entry.plain); });
  }

 private:
  std::vector<std::string> whole_;
  std::vector<std::string> parts_;
};

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::ranges::find(values, value) != values.end();
}

Status check_names(const Selection& selection) {
  for (const auto& name : selection.operations) {
    if (!operation_code(name))
      return fail(fmt::format("--op {}: there is no such operation; `nnvk operations` lists all", name), kWrongOption);
  }
  for (const auto& name : selection.families) {
    std::string known;
    for (const auto& row : families()) known += (known.empty() ? "" : ", ") + std::string(row.name);
    if (std::ranges::find(families(), name, &FamilyRow::name) == families().end()) {
      return fail(fmt::format("--family {}: there is no such family; there are {}", name, known), kWrongOption);
    }
  }
  return {};
}

}  // namespace

bool matches(std::string_view pattern, std::string_view dotted, std::string_view plain) {
  if (pattern.empty()) return true;
  if (pattern.find_first_of("*?[") == std::string_view::npos) {
    return dotted.find(pattern) != std::string_view::npos || plain == pattern;
  }
  const std::string glob(pattern);
  return fnmatch(glob.c_str(), std::string(dotted).c_str(), 0) == 0 || fnmatch(glob.c_str(), std::string(plain).c_str(), 0) == 0;
}

uint32_t part_of(std::string_view dotted, uint32_t parts) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : dotted) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return static_cast<uint32_t>((hash >> 32 ^ hash) % parts);
}

Result<std::vector<CaseEntry>> vector_entries(const std::filesystem::path& path) {
  TOOLS_ASSIGN(const auto files, vector_files(path));
  const auto reader = std::make_shared<LineReader>();
  std::vector<CaseEntry> entries;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return fail(fmt::format("cannot open {}", file.string()));
    const auto spec = spec_of(file);
    std::streamoff offset = 0;
    for (std::string line; std::getline(stream, line); offset = stream.tellg()) {
      if (line.empty()) continue;
      CaseEntry entry;
      entry.plain = peek_name(line);
      if (entry.plain.empty()) {
        const auto parsed = parse_case(line);
        if (!parsed) return fail(fmt::format("{} at byte {}: {}", file.string(), offset, parsed.error().message));
        entry.plain = parsed->name;
      }
      entry.dotted = dotted_name(spec, entry.plain);
      entry.operations = peek_operations(line);
      entry.family = family_of(entry.operations);
      entry.type = type_label(operand_type_code(peek_tensor_type(line)).value_or(0));
      entry.load = [reader, file, offset] { return read_case(*reader, file, offset); };
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

void expect_reference_results(std::vector<CaseEntry>& entries) {
  for (auto& entry : entries) {
    entry.keeps_outputs_open = true;
    entry.load = [load = std::move(entry.load)]() -> Result<VectorCase> {
      TOOLS_ASSIGN(auto c, load());
      c.golden = !c.expect_failure && c.multinomial_tolerance == 0;
      return c;
    };
  }
}

Result<std::vector<CaseEntry>> choose(std::vector<CaseEntry> entries, const Selection& selection) {
  TOOLS_TRY(check_names(selection));
  TOOLS_ASSIGN(const auto fraction, parse_fraction(selection.fraction));
  TOOLS_ASSIGN(auto names, read_names(selection.case_list));
  const bool listed = !names.empty();
  std::set<std::string> found;
  const Patterns chosen_ones(selection.patterns, entries);
  const Patterns excluded(selection.excluded, entries);
  std::erase_if(entries, [&](const CaseEntry& entry) {
    if (listed) {
      const bool dotted = names.contains(entry.dotted);
      const bool plain = names.contains(entry.plain);
      if (!dotted && !plain) return true;
      if (dotted) found.insert(entry.dotted);
      if (plain) found.insert(entry.plain);
    }
    const auto has_operation = [&](const auto& name) { return contains(entry.operations, name); };
    const bool chosen = (chosen_ones.is_empty() || chosen_ones.match(entry)) && !excluded.match(entry) &&
                        (selection.operations.empty() || std::ranges::any_of(selection.operations, has_operation)) &&
                        (selection.families.empty() || contains(selection.families, entry.family)) &&
                        part_of(entry.dotted, fraction.parts) == fraction.index;
    return !chosen;
  });
  for (const auto& name : names) {
    if (!found.contains(name)) return fail(fmt::format("{}: there is no case {}", selection.case_list, name));
  }
  return entries;
}

}  // namespace nnvk::tools::conformance
