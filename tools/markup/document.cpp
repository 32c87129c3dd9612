// The frame of the pages: style and script are part of the page, so that it works without a network.
#include "tools/markup/document.h"

#include <fmt/format.h>

#include "tools/markup/text.h"

namespace nnvk::tools {
namespace {

constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #dfe3e8; --text: #1b2128; --faint: #5c6773; --link: #0b5cad;
  --good: #18794e; --good-back: #e3f5ea; --bad: #b3261e; --bad-back: #fde7e4; --warn: #8a5a00; --warn-back: #fdf1d6;
  --code: #eef1f4;
  --l0: #e4e8ec; --l1: #b9cfe4; --l2: #f3c65b; --l3: #ec8f3c; --l4: #d9482f; --l5: #8e1320; --l6: #a21caf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1a2027; --line: #313a44; --text: #e4e8ec; --faint: #9aa7b4; --link: #7db8f2;
    --good: #6fd39b; --good-back: #17352a; --bad: #ff9a8f; --bad-back: #46201f; --warn: #f0c065; --warn-back: #3d3118;
    --code: #232b34;
    --l0: #2b343d; --l1: #3c5a78; --l2: #c79a2f; --l3: #e07f2c; --l4: #ef5c40; --l5: #ff9d94; --l6: #d65ae4;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main, header > div, footer { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
a { color: var(--link); }
h1 { font-size: 1.55rem; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 36px 0 10px; }
h3 { font-size: 1rem; margin: 22px 0 8px; overflow-wrap: anywhere; }
p { margin: 6px 0; }
code, pre, .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.86em; }
pre, .command { background: var(--code); border-radius: 6px; padding: 8px 10px; margin: 6px 0; overflow-x: auto; }
.command { display: block; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
.faint { color: var(--faint); }
.small { font-size: 0.87em; }
header { background: var(--card); border-bottom: 1px solid var(--line); border-top: 6px solid var(--faint); padding: 22px 0 18px; }
header.good { border-top-color: var(--good); }
header.bad { border-top-color: var(--bad); }
header.warn { border-top-color: var(--warn); }
.verdict { display: inline-block; font-weight: 600; border-radius: 6px; padding: 3px 12px; margin: 10px 0 4px; }
.good .verdict, .tag.good { color: var(--good); background: var(--good-back); }
.bad .verdict, .tag.bad { color: var(--bad); background: var(--bad-back); }
.warn .verdict, .tag.warn { color: var(--warn); background: var(--warn-back); }
.tag { background: var(--code); display: inline-block; border-radius: 4px; padding: 0 7px; font-size: 0.84em; white-space: nowrap; }
nav { margin-top: 10px; display: flex; flex-wrap: wrap; gap: 4px 18px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); gap: 12px; margin: 22px 0 4px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.tile b { display: block; font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile.good b { color: var(--good); }
.tile.bad b { color: var(--bad); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; margin: 10px 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child > td, tr:last-child > th { border-bottom: 0; }
th { font-weight: 600; color: var(--faint); font-size: 0.87em; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
table.facts th { width: 15rem; font-weight: 500; }
table.facts td { overflow-wrap: anywhere; }
table.facts tr.group th { color: var(--text); font-weight: 600; padding-top: 14px; }
table.matrix td, table.matrix th { padding: 3px 8px; white-space: nowrap; }
table.matrix tr:first-child th { white-space: normal; vertical-align: bottom; }
table.matrix th:first-child { font-size: inherit; position: sticky; left: 0; background: var(--card); color: var(--text); font-weight: 500; }
td code { white-space: nowrap; }
table.wrapped td code { white-space: normal; overflow-wrap: anywhere; }
td.good { color: var(--good); }
td.bad { color: var(--bad); background: var(--bad-back); font-weight: 600; }
td.warn { color: var(--warn); }
details > summary { cursor: pointer; }
details.failure { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 8px; margin: 8px 0; }
details.failure.waived, details.failure.flaky { border-left-color: var(--warn); }
details.failure > summary { padding: 8px 12px; overflow-wrap: anywhere; }
details.failure > div { padding: 0 14px 12px; }
.columns { display: flex; flex-wrap: wrap; gap: 18px 28px; align-items: flex-start; }
.columns > * { min-width: 0; max-width: 100%; }
.wide { flex: 1 1 420px; }
svg.map { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 4px; }
svg.map path { fill: none; stroke-width: 1.02; shape-rendering: crispEdges; }
.level0 { stroke: var(--l0); --own: var(--l0); } .level1 { stroke: var(--l1); --own: var(--l1); } .level2 { stroke: var(--l2); --own: var(--l2); }
.level3 { stroke: var(--l3); --own: var(--l3); } .level4 { stroke: var(--l4); --own: var(--l4); } .level5 { stroke: var(--l5); --own: var(--l5); }
.level6 { stroke: var(--l6); --own: var(--l6); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 6px 0; }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; background: var(--own); margin-right: 5px; vertical-align: -1px; }
#filter { width: 100%; max-width: 460px; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 7px 12px; margin: 6px 0; }
footer { color: var(--faint); font-size: 0.87em; padding-top: 28px; padding-bottom: 40px; }
@media (max-width: 640px) {
  main, header > div, footer { padding: 0 12px; }
  body { font-size: 14px; }
  table.facts, table.facts tbody, table.facts tr, table.facts th, table.facts td { display: block; width: auto; border: 0; padding: 0; }
  table.facts tr { border-bottom: 1px solid var(--line); padding: 5px 0; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
}
@media print { details.failure { break-inside: avoid; } #filter { display: none; } }
)css";

// Shows the filter, and hides the failures that do not contain its text. The page is complete without it.
constexpr std::string_view kScript = R"js(
(function () {
  var input = document.getElementById("filter");
  if (!input) return;
  input.hidden = false;
  input.addEventListener("input", function () {
    var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    document.querySelectorAll("[data-words]").forEach(function (element) {
      var text = element.getAttribute("data-words").toLowerCase();
      element.hidden = !words.every(function (word) { return text.includes(word); });
    });
    document.querySelectorAll("[data-group]").forEach(function (group) {
      group.hidden = !group.querySelector("[data-words]:not([hidden])");
    });
  });
})();
)js";

std::string row_of(std::string_view tag, std::initializer_list<Cell> cells) {
  std::string text = "<tr>";
  for (const auto& [content, kind] : cells) {
    text += kind.empty() ? fmt::format("<{0}>{1}</{0}>", tag, content)
                         : fmt::format("<{0} class=\"{2}\">{1}</{0}>", tag, content, kind);
  }
  return text + "</tr>";
}

}  // namespace

std::string clipped(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  size_t end = most;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xc0u) == 0x80u) --end;
  return fmt::format("{} ... ({} more bytes)", text.substr(0, end), text.size() - end);
}

std::string table_start(std::string_view frame, std::string_view kind, std::initializer_list<Cell> headings) {
  return fmt::format("<div class=\"{}\"><table class=\"{}\">", frame, kind) +
         (headings.size() == 0 ? "" : row_of("th", headings));
}

std::string table_row(std::initializer_list<Cell> cells) { return row_of("td", cells); }

std::string document(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n{}\n<script>{}</script>\n</body>\n</html>\n",
      escaped(title), kStyle, body, kScript);
}

}  // namespace nnvk::tools
