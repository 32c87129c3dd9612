// Writes the page's parts: summary, slowest operations, picture, facts, style and script.
#include "tools/reports/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/markup/text.h"
#include "tools/reports/svg.h"

namespace nnvk::tools {
namespace {

constexpr size_t kListedSlowest = 10;

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--paper:#fff;--panel:#f4f6f8;--ink:#15202b;--faint:#51606f;--line:#d3dae1;--mark:#1663c7;--bad:#b42318}
@media (prefers-color-scheme:dark){:root{--paper:#11161c;--panel:#1a212a;--ink:#e8eef4;--faint:#aab7c4;--line:#333e4a;--mark:#7db4ff;--bad:#ff9a8f}}
*{box-sizing:border-box}
body{margin:0;height:100vh;display:grid;grid-template:auto 1fr/1fr 24rem;font:14px/1.45 system-ui,sans-serif;background:var(--paper);color:var(--ink)}
header{grid-column:1/3;padding:.7rem 1rem;border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.3rem 1.5rem;align-items:center}
h1{font-size:1.05rem;margin:0}h2{font-size:1rem;margin:.2rem 0 .6rem;overflow-wrap:anywhere}
header p{margin:0;color:var(--faint)}header .refusal{color:var(--bad);flex-basis:100%}
.swatch{width:12px;height:12px;vertical-align:-1px;margin-right:.4rem}
.zoom{margin-left:auto}.zoom button{font:inherit;min-width:2.4rem;padding:.15rem .6rem;border:1px solid var(--line);border-radius:5px;background:var(--panel);color:inherit;cursor:pointer}
#picture{overflow:auto}#picture svg{display:block;margin:0 auto}
aside{overflow:auto;padding:.8rem 1rem;border-left:1px solid var(--line);background:var(--panel)}
aside p{margin:.25rem 0;overflow-wrap:anywhere}aside .declined{color:var(--bad)}
aside ol{padding-left:1.6rem}aside a{color:var(--mark)}
.hint{color:var(--faint)}
a.node:focus{outline:none}a.node:focus-visible rect:first-of-type,a.node.shown rect:first-of-type{stroke:var(--mark);stroke-width:3}
.edge.lit{stroke:var(--mark);stroke-width:2.5}
.facts{display:none}.facts:target,.facts.shown{display:block}
.scripted .facts:target:not(.shown){display:none}.scripted .some #overview{display:none}
@media (max-width:50rem){body{grid-template:auto 1fr 40vh/1fr}header{grid-column:1}aside{border-left:0;border-top:1px solid var(--line)}}
)";

// A box is shown while the pointer or the focus is on it. A click or tap keeps it, until another one or Escape.
constexpr const char* kScript = R"(
const picture=document.getElementById('picture'),svg=picture.querySelector('svg'),panel=document.querySelector('aside');
document.body.classList.add('scripted');
const size=svg.viewBox.baseVal;let scale=1,kept=null;
function zoom(to){const x=(picture.scrollLeft+picture.clientWidth/2)/scale,y=(picture.scrollTop+picture.clientHeight/2)/scale;
  scale=Math.min(4,Math.max(.05,to));svg.setAttribute('width',size.width*scale);svg.setAttribute('height',size.height*scale);
  picture.scrollLeft=x*scale-picture.clientWidth/2;picture.scrollTop=y*scale-picture.clientHeight/2}
function show(n){for(const e of document.querySelectorAll('.shown,.lit'))e.classList.remove('shown','lit');
  panel.classList.toggle('some',n!==null);if(n===null)return;
  document.getElementById('node'+n).classList.add('shown');document.getElementById('facts'+n).classList.add('shown');panel.scrollTop=0;
  for(const e of svg.querySelectorAll('[data-from="'+n+'"],[data-to="'+n+'"]'))e.classList.add('lit')}
for(const node of svg.querySelectorAll('a.node')){const n=node.id.slice(4);
  node.addEventListener('mouseenter',()=>show(n));node.addEventListener('mouseleave',()=>show(kept));
  node.addEventListener('focus',()=>show(n));node.addEventListener('blur',()=>show(kept));
  node.addEventListener('click',event=>{event.preventDefault();kept=n;show(n)})}
for(const link of document.querySelectorAll('[data-node]'))link.addEventListener('click',event=>{event.preventDefault();
  kept=link.dataset.node;const node=document.getElementById('node'+kept);
  node.scrollIntoView({block:'center',inline:'center'});node.focus({preventScroll:true});show(kept)});
document.addEventListener('keydown',event=>{if(event.key==='Escape'){kept=null;document.activeElement.blur();show(null)}});
document.getElementById('smaller').onclick=()=>zoom(scale/1.25);
document.getElementById('larger').onclick=()=>zoom(scale*1.25);
document.getElementById('width').onclick=()=>zoom(picture.clientWidth/size.width);
document.getElementById('whole').onclick=()=>zoom(Math.min(picture.clientWidth/size.width,picture.clientHeight/size.height));
if(size.width>picture.clientWidth)zoom(Math.max(.5,picture.clientWidth/size.width));
show(null);
)";

struct DeviceUse {
  size_t operations = 0;
  double seconds = 0;
};

std::string legend(const Explanation& explanation) {
  std::map<std::string, DeviceUse> uses;
  for (size_t i = 0; i < explanation.operations.size(); ++i) {
    const ExplainedOperation& operation = explanation.operations[i];
    if (operation.device.empty() || fate_of(explanation, i) != Fate::kRuns) continue;
    ++uses[operation.device].operations;
    uses[operation.device].seconds += operation.measured_seconds.value_or(0.0);
  }
  std::string text;
  for (const std::string& device : devices_in(explanation)) {
    const DeviceUse& use = uses[device];
    text += fmt::format("<p><svg class=\"swatch\"><rect width=\"12\" height=\"12\" class=\"box {}\"/></svg>{}: {} operations",
                        device_class(explanation, device), escaped(device), use.operations);
    text += use.seconds > 0 ? fmt::format(", {} ms</p>\n", milliseconds(use.seconds)) : "</p>\n";
  }
  return text;
}

std::string header(const Explanation& explanation, const std::string& model) {
  std::string text = "<header><h1>" + escaped(model) + "</h1>\n" + legend(explanation);
  const auto expected = predicted_seconds(explanation.partitions);
  if (expected && explanation.measured_seconds) {
    text += fmt::format("<p>whole model: {} ms, predicted {} ms</p>\n", milliseconds(explanation.measured_seconds),
                        milliseconds(expected));
  }
  text +=
      "<div class=\"zoom\"><button id=\"smaller\" aria-label=\"smaller\">&minus;</button> <button id=\"larger\" "
      "aria-label=\"larger\">+</button> <button id=\"width\">width</button> <button id=\"whole\">whole</button></div>\n";
  if (!explanation.refusal.empty()) {
    text += "<p class=\"refusal\">" + escaped(explanation.device + " does not run the whole model: " + explanation.refusal) +
            "</p>\n";
  }
  return text + "</header>\n";
}

// Returns the nodes of operations with a measured time, the slowest first.
std::vector<size_t> slowest(const Explanation& explanation, const Graph& graph) {
  const auto seconds = [&](size_t n) { return explanation.operations[graph.nodes[n].index].measured_seconds.value_or(0.0); };
  std::vector<size_t> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].kind == GraphNode::Kind::kOperation && seconds(n) > 0) nodes.push_back(n);
  }
  std::ranges::stable_sort(nodes, [&](size_t a, size_t b) { return seconds(a) > seconds(b); });
  nodes.resize(std::min(nodes.size(), kListedSlowest));
  return nodes;
}

std::string overview(const Explanation& explanation, const Graph& graph) {
  std::string text =
      "<section id=\"overview\"><p class=\"hint\">Point at a box, tap it, or reach it with the Tab key: this panel then tells "
      "where the "
      "operation runs, how long it takes, and why other devices decline it. Escape leads back.</p>\n";
  const std::vector<size_t> nodes = slowest(explanation, graph);
  if (!nodes.empty()) text += "<h2>Slowest operations</h2>\n<ol>\n";
  for (const size_t n : nodes) {
    text += fmt::format("<li><a href=\"#facts{}\" data-node=\"{}\">{}</a>: {} ms</li>\n", n, n,
                        escaped(title_of(explanation, graph.nodes[n])),
                        milliseconds(explanation.operations[graph.nodes[n].index].measured_seconds));
  }
  return text + (nodes.empty() ? "" : "</ol>\n") + "</section>\n";
}

std::string all_facts(const Explanation& explanation, const Graph& graph) {
  std::string text;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    text +=
        fmt::format("<section class=\"facts\" id=\"facts{}\"><h2>{}</h2>\n", n, escaped(title_of(explanation, graph.nodes[n])));
    for (const std::string& fact : facts_of(explanation, graph.nodes[n])) {
      const bool is_refusal = fact.find(" declines it: ") != std::string::npos;
      text += (is_refusal ? "<p class=\"declined\">" : "<p>") + escaped(fact) + "</p>\n";
    }
    text += "</section>\n";
  }
  return text;
}

}  // namespace

std::string to_page(const Explanation& explanation, const std::string& model) {
  const Graph graph = graph_of(explanation);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\">\n<title>" +
         escaped(model) + "</title>\n<style>" + kStyle + svg_style() + "</style></head>\n<body>\n" + header(explanation, model) +
         "<main id=\"picture\">\n" + to_svg(explanation, true) + "</main>\n<aside aria-live=\"polite\">\n" +
         overview(explanation, graph) + all_facts(explanation, graph) + "</aside>\n<script>" + kScript +
         "</script>\n</body></html>\n";
}

}  // namespace nnvk::tools
