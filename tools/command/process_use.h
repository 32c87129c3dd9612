// Resources that this process holds, for soak tests and their reports.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace nnvk::tools {

struct ProcessUse {
  size_t resident_kilobytes = 0;
  size_t open_files = 0;
};
ProcessUse process_use();

// Returns how many kilobytes of resident memory are not backed by files. Leaves out code, mapped models, and freed memory that
// the allocator keeps.
size_t own_kilobytes();

// Returns how many kilobytes of memory were resident at most since the process began, or since reset_peak_memory().
size_t peak_kilobytes();
void reset_peak_memory();

// The use early in a soak test, after its warm-up, and at its end.
struct UseOverTime {
  ProcessUse early;
  ProcessUse late;

  // Returns whether memory has grown by no more than this, and no further file is open.
  bool is_steady(size_t allowed_kilobytes) const;
  void add_to(nlohmann::json& document) const;
  // Writes a line of text; `when` names the early moment, as in "after 1000".
  std::string to_text(std::string_view when) const;
};

}  // namespace nnvk::tools
