// A benchmark as text, as a table for other programs, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/benchmark/measurement.h"

namespace nnvk::tools::benchmark {

// Writes a time with three digits or four: "1.234 ms", "56.7 us", "2.30 s".
std::string time_text(double seconds);
// Writes the energy of an execution and the largest share of a ceiling: "1.2 mJ", "56 %"; "" if they are unknown.
std::string energy_text(const Measurement& measurement);
std::string share_text(const Measurement& measurement);
// Writes the difference from the reference: "0.00012 (largest 0.003)", "equal"; "" if it is unknown.
std::string reference_text(const Accuracy& accuracy);

// Writes a block per model with a line per engine, the notes and the warnings.
std::string to_text(const Benchmark& benchmark);
// Writes a line per measurement below the names of the columns. Unknown figures are empty.
std::string to_csv(const Benchmark& benchmark);
nlohmann::ordered_json to_json(const Benchmark& benchmark);

}  // namespace nnvk::tools::benchmark
