// A benchmark as one page in HTML, in the frame of the conformance suite's pages. It loads nothing and needs no script.
#pragma once

#include <string>

#include "tools/benchmark/measurement.h"

namespace nnvk::tools::benchmark {

std::string to_page(const Benchmark& benchmark);

}  // namespace nnvk::tools::benchmark
