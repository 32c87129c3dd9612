// Charts of a benchmark as inline SVG. They need no script, and their colours follow the page's, light or dark.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/benchmark/measurement.h"

namespace nnvk::tools::benchmark {

// The ends of a logarithmic axis in seconds: powers of ten around all times; (0.001, 0.01) if there are none.
struct LogAxis {
  double first = 1e-3;
  double last = 1e-2;

  // Returns the place of a time on the axis: 0 at `first`, 1 at `last`; clamped.
  double place_of(double seconds) const;
  // Returns the powers of ten from `first` to `last`.
  std::vector<double> ticks() const;
};
LogAxis axis_for(std::span<const double> seconds);

// Draws a row per measurement with figures: a line from the fastest execution to the 99th percentile, a mark at the 90th, a dot
// at the median. Returns "" if no measurement has figures.
std::string latency_chart(std::span<const Measurement> measurements);

// Returns the style of all charts, for one <svg> of the page.
std::string chart_style();

}  // namespace nnvk::tools::benchmark
