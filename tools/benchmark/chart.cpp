#include "tools/benchmark/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/benchmark/tables.h"
#include "tools/markup/document.h"
#include "tools/markup/text.h"

namespace nnvk::tools::benchmark {
namespace {

// Sizes in the units of the SVG, which are pixels unless the page is narrow.
constexpr double kWidth = 760;
constexpr double kLeft = 190;   // of the axis
constexpr double kRight = 650;  // the medians stand to the right of it
constexpr double kRow = 30;
constexpr double kTop = 26;
constexpr size_t kMostName = 26;  // letters that fit to the left of the axis

double x_of(const LogAxis& axis, double seconds) { return kLeft + axis.place_of(seconds) * (kRight - kLeft); }

std::string line(std::string_view kind, double x1, double x2, double y1, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kind, x1, x2, y1, y2);
}

std::string label(std::string_view kind, double x, double y, std::string_view content) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", kind, x, y, escaped(content));
}

std::string row(const Measurement& m, const LogAxis& axis, double y) {
  const double p90 = x_of(axis, m.latency.p90);
  const auto told = fmt::format("{}: median {}, 90 % {}, 99 % {}, fastest {}", m.engine, time_text(m.latency.median),
                                time_text(m.latency.p90), time_text(m.latency.p99), time_text(m.latency.fastest));
  const auto name = m.engine.size() > kMostName ? m.engine.substr(0, kMostName - 3) + "..." : m.engine;
  return "<g><title>" + escaped(told) + "</title>" + label("name", kLeft - 14, y + 5, name) +
         line("range", x_of(axis, m.latency.fastest), x_of(axis, m.latency.p99), y, y) + line("mark", p90, p90, y - 6, y + 6) +
         fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>", x_of(axis, m.latency.median), y) +
         label("value", kRight + 14, y + 5, time_text(m.latency.median)) + "</g>\n";
}

// Writes a power of ten in seconds as "10 ms".
std::string tick_text(double seconds) {
  const double microseconds = std::round(seconds * 1e8) / 100;
  if (microseconds >= 1e6) return fmt::format("{:g} s", microseconds / 1e6);
  return microseconds >= 1e3 ? fmt::format("{:g} ms", microseconds / 1e3) : fmt::format("{:g} us", microseconds);
}

}  // namespace

double LogAxis::place_of(double seconds) const {
  if (seconds <= first) return 0;
  return std::min(1.0, std::log10(seconds / first) / std::log10(last / first));
}

std::vector<double> LogAxis::ticks() const {
  std::vector<double> ticks;
  const auto count = static_cast<int>(std::lround(std::log10(last / first)));
  for (int i = 0; i <= count; ++i) ticks.push_back(first * std::pow(10.0, i));
  return ticks;
}

LogAxis axis_for(std::span<const double> seconds) {
  std::vector<double> positive;
  std::ranges::copy_if(seconds, std::back_inserter(positive), [](double s) { return s > 0; });
  if (positive.empty()) return {};
  const auto [least, most] = std::ranges::minmax(positive);
  LogAxis axis{std::pow(10.0, std::floor(std::log10(least))), std::pow(10.0, std::ceil(std::log10(most)))};
  if (axis.last <= axis.first) axis.last = 10 * axis.first;
  return axis;
}

std::string latency_chart(std::span<const Measurement> measurements) {
  std::vector<double> times;
  double rows = 0;
  for (const Measurement& m : measurements) {
    if (!m.problem.empty()) continue;
    times.insert(times.end(), {m.latency.fastest, m.latency.median, m.latency.p99});
    ++rows;
  }
  if (rows == 0) return "";
  const LogAxis axis = axis_for(times);
  const double bottom = kTop + rows * kRow;
  std::string text =
      fmt::format("<svg class=\"chart\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"Latency of each engine\">\n",
                  kWidth, bottom + 6);
  for (const double tick : axis.ticks()) {
    const double x = x_of(axis, tick);
    text += line("grid", x, x, kTop - 4, bottom) + label("tick", x, 14, tick_text(tick)) + "\n";
  }
  double y = kTop + kRow / 2;
  for (const Measurement& m : measurements) {
    if (!m.problem.empty()) continue;
    text += row(m, axis, y);
    y += kRow;
  }
  return text + "</svg>\n";
}

std::string chart_style() {
  return R"(<svg width="0" height="0" aria-hidden="true" style="position:absolute"><style>
svg.chart { display: block; width: 100%; max-width: 760px; height: auto; font-size: 14px; }
svg.chart text { fill: var(--text); font-variant-numeric: tabular-nums; }
svg.chart .name { text-anchor: end; }
svg.chart .tick { text-anchor: middle; fill: var(--faint); font-size: 12px; }
svg.chart .value { font-weight: 600; }
svg.chart .grid { stroke: var(--line); }
svg.chart .range { stroke: var(--l1); stroke-width: 6; stroke-linecap: round; }
svg.chart .mark { stroke: var(--link); stroke-width: 2; }
svg.chart .dot { fill: var(--link); stroke: var(--card); stroke-width: 1.5; }
td.best { color: var(--good); font-weight: 600; }
</style></svg>
)";
}

}  // namespace nnvk::tools::benchmark
