// Reports of a finished run for people and other programs: totals, a table of families, JUnit and CSV files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/conformance/waivers.h"

namespace nnvk::tools::conformance {

struct Totals {
  size_t passed = 0;
  size_t failed = 0;  // not counting waived ones
  size_t waived = 0;
  size_t skipped = 0;
  double seconds = 0;

  size_t all() const { return passed + failed + waived + skipped; }
};

// The cases of a family and type in a variant.
struct TypeKey {
  std::string variant;
  std::string family;
  std::string type;  // as in Record

  auto operator<=>(const TypeKey&) const = default;
};

struct Summary {
  Totals totals;
  std::map<std::string, Totals> families;  // "" for cases without operations
  std::map<TypeKey, Totals> types;
  std::map<std::string, size_t> skip_reasons;  // how many cases
  std::vector<const Waiver*> unused;           // waivers that covered no failure
};

Summary summarize(const std::vector<Record>& records, const std::vector<Waiver>& waivers);

// The data from which reports are made.
struct ReportedRun {
  const std::vector<Provenance>& provenances;  // one per variant
  const std::vector<Record>& records;          // of all variants
  const std::vector<Waiver>& waivers;
};

// Writes lines "family  passed failed waived skipped seconds".
std::string family_table(const Summary& summary);

// Writes one <testsuite> per device and variant, whose <properties> are its provenance; waived cases are skipped with their
// reason.
Status write_junit(const std::filesystem::path& path, const ReportedRun& run);

// Writes a field of a line of CSV: in quotes if it needs them.
std::string csv_field(const std::string& text);

// Writes the provenance in lines that begin with "# ", then case,family,type,device,variant,result,kind,seconds,message with one
// line per case.
Status write_csv(const std::filesystem::path& path, const ReportedRun& run);

}  // namespace nnvk::tools::conformance
