// Draws boxes, edges and a legend.
#include "tools/reports/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/markup/text.h"

namespace nnvk::tools {
namespace {

constexpr double kTitleColumn = 7.4;  // pixels per column of a font of fixed width
constexpr double kLineColumn = 6.5;
constexpr double kPadding = 9;
constexpr double kTitleHeight = 17;
constexpr double kLineHeight = 14;
constexpr double kMergedHeight = 17;
constexpr double kBarHeight = 5;
constexpr double kSmallestWidth = 110;
constexpr size_t kMostColumns = 46;
constexpr size_t kDeviceColours = 6;

constexpr const char* kLightStyle = R"(
.node text,.legend{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#15202b}
.node text{text-anchor:middle;font-size:10.5px}
.legend{font-size:12px}
.paper{fill:#ffffff}
.node .title{font-size:12px;font-weight:bold}
.node .time{font-weight:bold}
.node .declined{fill:#b42318}
.box{stroke:#5b6b7b;stroke-width:1}
.port{fill:#ffffff}
.none{fill:#f4f6f8;stroke-dasharray:4 3}
.merged{fill:none;stroke:#5b6b7b;stroke-width:.8;stroke-dasharray:3 2}
.track{fill:#15202b;fill-opacity:.12}
.bar{fill:#e8590c}
.edge{fill:none;stroke:#7b8894;stroke-width:1.2}
.arrow{fill:#7b8894}
)";
constexpr const char* kDarkStyle = R"(
.node text,.legend{fill:#e8eef4}
.paper{fill:#11161c}
.node .declined{fill:#ff9a8f}
.box,.merged{stroke:#8b9aa9}
.port{fill:#1a212a}
.none{fill:#161c24}
.track{fill:#ffffff}
.bar{fill:#ff9d5c}
.edge{stroke:#71808e}
.arrow{fill:#71808e}
)";
// The marker of edges.
constexpr const char* kArrow = R"(<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse"
markerWidth="9" markerHeight="9" orient="auto"><path d="M0 0L8 4L0 8z" class="arrow"/></marker></defs>
)";

struct Line {
  std::string text;
  const char* style = "line";
};

// The content of a box, which decides its size.
struct BoxContent {
  std::string title;
  std::vector<Line> lines;
  std::vector<std::string> merged;
  std::optional<double> bar;  // 0 to 1
  std::string style;          // classes of the box
  std::string tooltip;        // escaped
};

double seconds_of_all(const Explanation& explanation) {
  double sum = 0;
  for (const auto& operation : explanation.operations) sum += operation.measured_seconds.value_or(0.0);
  return sum;
}

// Returns the time to show for an operation: measured if there is one, else predicted.
std::optional<double> time_of(const Explanation& explanation, size_t index) {
  const ExplainedOperation& operation = explanation.operations[index];
  if (operation.measured_seconds || fate_of(explanation, index) != Fate::kRuns) return operation.measured_seconds;
  return predicted_seconds(explanation, operation);
}

double longest_time(const Explanation& explanation) {
  double longest = 0;
  for (size_t i = 0; i < explanation.operations.size(); ++i) longest = std::max(longest, time_of(explanation, i).value_or(0.0));
  return longest;
}

std::string tooltip_of(const Explanation& explanation, const GraphNode& node) {
  std::string text = escaped(title_of(explanation, node));
  for (const std::string& fact : facts_of(explanation, node)) text += "\n" + escaped(fact);
  return text;
}

BoxContent port_content(const Explanation& explanation, const GraphNode& node) {
  const auto& ports = node.kind == GraphNode::Kind::kInput ? explanation.inputs : explanation.outputs;
  return {.title = title_of(explanation, node),
          .lines = {{ports[node.index].type}},
          .merged = {},
          .bar = {},
          .style = "box port",
          .tooltip = tooltip_of(explanation, node)};
}

BoxContent operation_content(const Explanation& explanation, const GraphNode& node, double longest, double all) {
  const ExplainedOperation& operation = explanation.operations[node.index];
  const Fate fate = fate_of(explanation, node.index);
  BoxContent content{.title = title_of(explanation, node),
                     .lines = {{operation.result}},
                     .merged = lines_of_merged(explanation, node),
                     .bar = {},
                     .style = "box none",
                     .tooltip = tooltip_of(explanation, node)};
  if (fate != Fate::kRuns) {
    content.lines.push_back({fate_text(fate)});
    return content;
  }
  if (operation.device.empty()) {
    content.lines.push_back({"not compiled"});
  } else {
    content.style = "box " + device_class(explanation, operation.device);
    if (devices_in(explanation).size() > 1) {
      content.lines.push_back({fmt::format("{}, step {}", operation.device, operation.partition + 1)});
    }
  }
  if (operation.measured_seconds) {
    const double share = all > 0 ? 100 * *operation.measured_seconds / all : 0;
    content.lines.push_back({fmt::format("{} ms, {:.0f} %", milliseconds(operation.measured_seconds), share), "time"});
  } else if (const auto expected = predicted_seconds(explanation, operation)) {
    content.lines.push_back({fmt::format("{} ms predicted", milliseconds(expected)), "time"});
  }
  for (const DeviceAnswer* refusal : refusals_of(explanation, operation)) {
    content.lines.push_back({refusal->device + " declines it", "declined"});
  }
  if (longest > 0) content.bar = time_of(explanation, node.index).value_or(0.0) / longest;
  return content;
}

BoxSize size_of(const BoxContent& content) {
  double width = kTitleColumn * static_cast<double>(std::min(columns_of(content.title), kMostColumns));
  const auto widen = [&](const std::string& text, double extra) {
    width = std::max(width, kLineColumn * static_cast<double>(std::min(columns_of(text), kMostColumns)) + extra);
  };
  for (const Line& line : content.lines) widen(line.text, 0);
  for (const std::string& merged : content.merged) widen("+ " + merged, kPadding);
  double height = kPadding + kTitleHeight + kLineHeight * static_cast<double>(content.lines.size()) +
                  kMergedHeight * static_cast<double>(content.merged.size()) + kPadding / 2;
  if (content.bar) height += kBarHeight;
  return {std::max(width + 2 * kPadding, kSmallestWidth), std::ceil(height)};
}

std::string text_element(double x, double y, const char* style, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style,
                     escaped(shortened(text, kMostColumns)));
}

std::string draw_box(const BoxContent& content, const Box& box) {
  const double radius = content.style.ends_with("port") ? box.height / 2 : 5;
  std::string text =
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\" class=\"{}\"/>\n", box.x,
                  box.y, box.width, box.height, radius, content.style);
  const double centre = box.x + box.width / 2;
  double y = box.y + kPadding + kTitleHeight - 6;
  text += text_element(centre, y, "title", content.title);
  for (const Line& line : content.lines) text += text_element(centre, y += kLineHeight, line.style, line.text);
  y += kPadding / 2;
  for (const std::string& merged : content.merged) {
    text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\" class=\"merged\"/>\n",
                        box.x + kPadding / 2, y, box.width - kPadding, kMergedHeight - 2);
    text += text_element(centre, y + 11, "line", "+ " + merged);
    y += kMergedHeight;
  }
  if (content.bar) {
    const double left = box.x + kPadding;
    const double width = box.width - 2 * kPadding;
    for (const auto& [style, share] : {std::pair{"track", 1.0}, std::pair{"bar", *content.bar}}) {
      text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"3\" class=\"{}\"/>\n", left,
                          box.y + box.height - kBarHeight - 2, width * share, style);
    }
  }
  return text;
}

// Draws an edge: vertical lines within layers, curves between them.
std::string path_of(const std::vector<Point>& route) {
  std::string path = fmt::format("M{:.1f} {:.1f}", route[0].x, route[0].y);
  for (size_t i = 1; i < route.size(); ++i) {
    const Point& from = route[i - 1];
    const Point& to = route[i];
    if (from.x == to.x) {
      path += fmt::format("V{:.1f}", to.y);
    } else {
      const double middle = (from.y + to.y) / 2;
      path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", from.x, middle, to.x, middle, to.x, to.y);
    }
  }
  return path;
}

std::string draw_edges(const Graph& graph, const Layout& layout) {
  std::string text;
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    if (layout.routes[i].empty()) continue;
    text += fmt::format("<path d=\"{}\" class=\"edge\" marker-end=\"url(#arrow)\" data-from=\"{}\" data-to=\"{}\"/>\n",
                        path_of(layout.routes[i]), graph.edges[i].from, graph.edges[i].to);
  }
  return text;
}

// Draws lines above the picture: the devices with their colours, and the time of the whole model.
std::string draw_legend(const Explanation& explanation, double& y) {
  std::string text;
  for (const std::string& device : devices_in(explanation)) {
    y += 20;
    text += fmt::format("<rect x=\"16\" y=\"{:.1f}\" width=\"14\" height=\"14\" rx=\"3\" class=\"box {}\"/>\n", y - 12,
                        device_class(explanation, device));
    text += fmt::format("<text x=\"38\" y=\"{:.1f}\" class=\"legend\">{}</text>\n", y, escaped(device));
  }
  std::vector<std::string> notes;
  const auto expected = predicted_seconds(explanation.partitions);
  if (expected && explanation.measured_seconds) {
    notes.push_back(
        fmt::format("whole model {} ms, predicted {} ms", milliseconds(explanation.measured_seconds), milliseconds(expected)));
  }
  if (!explanation.refusal.empty()) notes.push_back(explanation.device + " does not run the whole model");
  for (const std::string& note : notes) {
    y += 20;
    text += fmt::format("<text x=\"16\" y=\"{:.1f}\" class=\"legend\">{}</text>\n", y, escaped(note));
  }
  return text;
}

}  // namespace

std::string device_class(const Explanation& explanation, const std::string& device) {
  const std::vector<std::string> devices = devices_in(explanation);
  const auto index = std::ranges::find(devices, device) - devices.begin();
  return fmt::format("device{}", static_cast<size_t>(index) % kDeviceColours);
}

std::vector<std::string> facts_of(const Explanation& explanation, const GraphNode& node) {
  if (node.kind != GraphNode::Kind::kOperation) {
    return {(node.kind == GraphNode::Kind::kInput ? explanation.inputs : explanation.outputs)[node.index].type};
  }
  const ExplainedOperation& operation = explanation.operations[node.index];
  const Fate fate = fate_of(explanation, node.index);
  std::vector<std::string> facts{"result " + operation.result};
  if (!operation.origin.empty()) facts.push_back("from " + operation.origin);
  if (fate != Fate::kRuns) {
    facts.push_back(fate_text(fate));
  } else if (operation.device.empty()) {
    facts.emplace_back("not compiled");
  } else {
    facts.push_back(fmt::format("runs on {}, step {}", operation.device, operation.partition + 1));
  }
  const auto expected = predicted_seconds(explanation, operation);
  if (operation.measured_seconds) {
    const double all = seconds_of_all(explanation);
    facts.push_back(fmt::format("measured {} ms: {:.1f} % of all operations", milliseconds(operation.measured_seconds),
                                all > 0 ? 100 * *operation.measured_seconds / all : 0.0));
  }
  if (expected) facts.push_back(fmt::format("predicted {} ms", milliseconds(expected)));
  for (const size_t inside : node.inside) {
    facts.push_back(
        fmt::format("with it: {} {} ({})", inside, explanation.operations[inside].name, fate_text(fate_of(explanation, inside))));
  }
  for (const DeviceAnswer& answer : operation.answers) {
    if (answer.device == operation.device) continue;
    facts.push_back(answer.supported ? fmt::format("{}: predicted {} ms", answer.device, milliseconds(answer.predicted_seconds))
                                     : fmt::format("{} declines it: {}", answer.device, answer.reason));
  }
  return facts;
}

std::string svg_style() {
  constexpr auto kLight = std::to_array<const char*>({"#cfe4f7", "#fbe3bd", "#d3ecd0", "#ead5ef", "#d9dde2", "#f7d3d3"});
  constexpr auto kDark = std::to_array<const char*>({"#1d4266", "#5e4415", "#245029", "#4d2f58", "#3a424b", "#5f2b2b"});
  static_assert(kLight.size() == kDeviceColours && kDark.size() == kDeviceColours);
  std::string light = kLightStyle;
  std::string dark = kDarkStyle;
  for (size_t i = 0; i < kDeviceColours; ++i) {
    light += fmt::format(".device{}{{fill:{}}}", i, kLight[i]);
    dark += fmt::format(".device{}{{fill:{}}}", i, kDark[i]);
  }
  return light + "\n@media (prefers-color-scheme:dark){" + dark + "}\n";
}

std::string to_svg(const Explanation& explanation, bool for_page) {
  const Graph graph = graph_of(explanation);
  const double longest = longest_time(explanation);
  const double all = seconds_of_all(explanation);
  std::vector<BoxContent> contents;
  std::vector<BoxSize> sizes;
  for (const GraphNode& node : graph.nodes) {
    const bool is_port = node.kind != GraphNode::Kind::kOperation;
    contents.push_back(is_port ? port_content(explanation, node) : operation_content(explanation, node, longest, all));
    sizes.push_back(size_of(contents.back()));
  }
  const Layout layout = lay_out(sizes, graph.edges);
  double top = 0;
  const std::string legend = for_page ? "" : draw_legend(explanation, top);
  std::string body = draw_edges(graph, layout);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string box = "<title>" + contents[i].tooltip + "</title>\n" + draw_box(contents[i], layout.boxes[i]);
    body += for_page ? fmt::format("<a id=\"node{}\" class=\"node\" href=\"#facts{}\">{}</a>\n", i, i, box)
                     : fmt::format("<g id=\"node{}\" class=\"node\">{}</g>\n", i, box);
  }
  const double width = std::max(layout.width, for_page ? 0.0 : 420.0);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\">\n",
             width, layout.height + top, width, layout.height + top) +
         (for_page ? "" : "<style>" + svg_style() + "</style>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n") +
         kArrow + legend + fmt::format("<g transform=\"translate(0 {:.0f})\">\n", top) + body + "</g>\n</svg>\n";
}

}  // namespace nnvk::tools
