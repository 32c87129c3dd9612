// A benchmark as text, as a table for other programs, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/benchmark/measurement.h"

namespace nnvk::tools::benchmark {

// "1.234 ms", "56.7 us", "2.30 s": three digits or four.
std::string time_text(double seconds);
// "1.2 mJ", "56 %": the energy of an execution, the largest share of a ceiling; "" if they are unknown.
std::string energy_text(const Measurement& measurement);
std::string share_text(const Measurement& measurement);
// "0.00012 (largest 0.003)"; "equal"; "" if it is unknown.
std::string reference_text(const Accuracy& accuracy);

// A block per model with a line per engine, the notes and the warnings.
std::string to_text(const Benchmark& benchmark);
// A line per measurement below the names of the columns. Unknown figures are empty.
std::string to_csv(const Benchmark& benchmark);
nlohmann::ordered_json to_json(const Benchmark& benchmark);

}  // namespace nnvk::tools::benchmark
