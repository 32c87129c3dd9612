// Layers, orders and places.
#include "tools/reports/layout.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace nnvk::tools {
namespace {

constexpr double kMargin = 16;
constexpr double kGapBetweenLayers = 34;
constexpr double kGapBetweenBoxes = 22;
constexpr double kEdgeWidth = 10;  // of an edge that passes a layer
constexpr int kOrderSweeps = 12;
constexpr int kPlaceSweeps = 8;
// The weight that keeps boxes below each other; edges that pass beside them give way.
constexpr double kWeightOfBoxes = 30;
constexpr double kWeightOfEdges = 1;

// A box in its layer, or the place where an edge passes a layer.
struct Vertex {
  size_t layer = 0;
  double width = kEdgeWidth;
  double weight = kWeightOfEdges;
  double centre = 0;
  size_t position = 0;  // in its layer
  std::vector<size_t> above;
  std::vector<size_t> below;
};

// Returns the number of each box in an order in which edges lead forward, as far as there are no circles.
std::vector<size_t> forward_order(size_t boxes, std::span<const GraphEdge> edges) {
  std::vector<size_t> open(boxes);  // edges from boxes without a number
  std::vector<std::vector<size_t>> below(boxes);
  for (const GraphEdge& edge : edges) {
    if (edge.from == edge.to) continue;
    ++open[edge.to];
    below[edge.from].push_back(edge.to);
  }
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> number(boxes, kNone);
  std::vector<size_t> ready;
  for (size_t b = 0; b < boxes; ++b) {
    if (open[b] == 0) ready.push_back(b);
  }
  size_t first_left = 0;
  for (size_t next = 0; next < boxes; ++next) {
    if (next == ready.size()) {  // a circle: go on with the first box that is left
      while (number[first_left] != kNone) ++first_left;
      open[first_left] = 0;
      ready.push_back(first_left);
    }
    const size_t box = ready[next];
    number[box] = next;
    for (const size_t b : below[box]) {
      if (open[b] > 0 && --open[b] == 0) ready.push_back(b);
    }
  }
  return number;
}

class LayerLayout {
 public:
  LayerLayout(std::span<const BoxSize> sizes, std::span<const GraphEdge> edges) : sizes_(sizes), edges_(edges) {
    vertices_.resize(sizes.size());
    for (size_t b = 0; b < sizes.size(); ++b) {
      vertices_[b].width = sizes[b].width;
      vertices_[b].weight = kWeightOfBoxes;
    }
    assign_layers();
    connect();
    order();
    place();
  }

  Layout result() {
    Layout layout;
    std::vector<double> top;
    std::vector<double> bottom;
    double y = kMargin;
    for (const auto& layer : layers_) {
      double height = 0;
      for (const size_t v : layer) height = std::max(height, v < sizes_.size() ? sizes_[v].height : 0.0);
      top.push_back(y);
      bottom.push_back(y + height);
      y += height + kGapBetweenLayers;
    }
    double left = layers_.empty() ? 0 : std::numeric_limits<double>::infinity();
    double right = -left;
    for (const Vertex& vertex : vertices_) {
      left = std::min(left, vertex.centre - vertex.width / 2);
      right = std::max(right, vertex.centre + vertex.width / 2);
    }
    const auto x_of = [&](size_t v) { return vertices_[v].centre - left + kMargin; };
    for (size_t b = 0; b < sizes_.size(); ++b) {
      layout.boxes.push_back({x_of(b) - sizes_[b].width / 2, top[vertices_[b].layer], sizes_[b].width, sizes_[b].height});
    }
    for (const std::vector<size_t>& chain : chains_) {
      std::vector<Point>& route = layout.routes.emplace_back();
      if (chain.empty()) continue;
      const size_t from = chain.front();
      const size_t to = chain.back();
      route.push_back({x_of(from), layout.boxes[from].y + layout.boxes[from].height});
      route.push_back({x_of(from), bottom[vertices_[from].layer]});
      for (size_t i = 1; i + 1 < chain.size(); ++i) {
        route.push_back({x_of(chain[i]), top[vertices_[chain[i]].layer]});
        route.push_back({x_of(chain[i]), bottom[vertices_[chain[i]].layer]});
      }
      route.push_back({x_of(to), layout.boxes[to].y});
    }
    layout.width = right - left + 2 * kMargin;
    layout.height = layers_.empty() ? 2 * kMargin : bottom.back() + kMargin;
    return layout;
  }

 private:
  void assign_layers() {
    number_ = forward_order(sizes_.size(), edges_);
    std::vector<GraphEdge> forward;
    for (const GraphEdge& edge : edges_) {
      if (edge.from != edge.to) forward.push_back(down(edge));
    }
    std::ranges::sort(forward, {}, [&](const GraphEdge& edge) { return number_[edge.from]; });
    std::vector<bool> has_above(sizes_.size());
    for (const GraphEdge& edge : forward) {
      vertices_[edge.to].layer = std::max(vertices_[edge.to].layer, vertices_[edge.from].layer + 1);
      has_above[edge.to] = true;
    }
    // Boxes with nothing above them come as low as they can, which keeps their edges short.
    std::vector<size_t> lowest(sizes_.size(), SIZE_MAX);
    for (const GraphEdge& edge : forward) lowest[edge.from] = std::min(lowest[edge.from], vertices_[edge.to].layer - 1);
    size_t layers = 0;
    for (size_t b = 0; b < sizes_.size(); ++b) {
      if (!has_above[b] && lowest[b] != SIZE_MAX) vertices_[b].layer = lowest[b];
      layers = std::max(layers, vertices_[b].layer + 1);
    }
    layers_.resize(layers);
    std::vector<size_t> in_order(sizes_.size());
    std::iota(in_order.begin(), in_order.end(), size_t{0});
    std::ranges::sort(in_order, {}, [&](size_t b) { return number_[b]; });
    for (const size_t b : in_order) add_to_layer(b);
  }

  GraphEdge down(const GraphEdge& edge) const {
    return number_[edge.from] < number_[edge.to] ? edge : GraphEdge{edge.to, edge.from};
  }

  void add_to_layer(size_t v) {
    auto& layer = layers_[vertices_[v].layer];
    vertices_[v].position = layer.size();
    layer.push_back(v);
  }

  // Gives each edge a vertex in every layer that it passes.
  void connect() {
    for (const GraphEdge& given : edges_) {
      std::vector<size_t>& chain = chains_.emplace_back();
      if (given.from == given.to) continue;
      const GraphEdge edge = down(given);
      chain.push_back(edge.from);
      for (size_t layer = vertices_[edge.from].layer + 1; layer < vertices_[edge.to].layer; ++layer) {
        chain.push_back(vertices_.size());
        vertices_.emplace_back().layer = layer;
        add_to_layer(chain.back());
      }
      chain.push_back(edge.to);
      for (size_t i = 1; i < chain.size(); ++i) {
        vertices_[chain[i - 1]].below.push_back(chain[i]);
        vertices_[chain[i]].above.push_back(chain[i - 1]);
      }
    }
  }

  // Returns the mean of `value` over neighbours, with their weights; `otherwise` without any.
  template <class Value>
  double mean(const std::vector<size_t>& neighbours, Value value, double otherwise) const {
    double sum = 0;
    double weights = 0;
    for (const size_t v : neighbours) {
      sum += static_cast<double>(value(vertices_[v])) * vertices_[v].weight;
      weights += vertices_[v].weight;
    }
    return weights > 0 ? sum / weights : otherwise;
  }

  void order_layer(std::vector<size_t>& layer, bool by_above) {
    std::vector<std::pair<double, size_t>> keyed;
    for (const size_t v : layer) {
      const Vertex& vertex = vertices_[v];
      const auto position = [](const Vertex& neighbour) { return neighbour.position; };
      keyed.emplace_back(mean(by_above ? vertex.above : vertex.below, position, static_cast<double>(vertex.position)), v);
    }
    std::ranges::stable_sort(keyed, {}, [](const auto& entry) { return entry.first; });
    for (size_t i = 0; i < keyed.size(); ++i) {
      layer[i] = keyed[i].second;
      vertices_[layer[i]].position = i;
    }
  }

  size_t crossings() const {
    size_t count = 0;
    for (const auto& layer : layers_) {
      std::vector<GraphEdge> lines;  // positions of both ends
      for (const size_t v : layer) {
        for (const size_t below : vertices_[v].below) lines.push_back({vertices_[v].position, vertices_[below].position});
      }
      for (size_t i = 0; i < lines.size(); ++i) {
        for (size_t j = i + 1; j < lines.size(); ++j) {
          count += (lines[i].from < lines[j].from && lines[i].to > lines[j].to) ||
                   (lines[i].from > lines[j].from && lines[i].to < lines[j].to);
        }
      }
    }
    return count;
  }

  void order() {
    auto best = layers_;
    size_t fewest = crossings();
    for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
      if (sweep % 2 == 0) {
        for (auto& layer : layers_) order_layer(layer, true);
      } else {
        for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) order_layer(*layer, false);
      }
      if (const size_t count = crossings(); count < fewest) {
        fewest = count;
        best = layers_;
      }
    }
    layers_ = std::move(best);
  }

  // Moves the vertices of a layer as near to their wishes as the order and the gaps allow: the least sum of weighted squares, by
  // pooling neighbours that would overlap.
  void place_layer(const std::vector<size_t>& layer, const std::vector<double>& wishes) {
    struct Pool {
      double sum;
      double weight;
      size_t size;
      double mean() const { return sum / weight; }
    };
    std::vector<double> offset;  // from the first vertex, when all stand as close as they may
    for (size_t i = 0; i < layer.size(); ++i) {
      const double half = vertices_[layer[i]].width / 2;
      offset.push_back(i == 0 ? 0 : offset.back() + vertices_[layer[i - 1]].width / 2 + kGapBetweenBoxes + half);
    }
    std::vector<Pool> pools;
    for (size_t i = 0; i < layer.size(); ++i) {
      const double weight = vertices_[layer[i]].weight;
      pools.push_back({(wishes[i] - offset[i]) * weight, weight, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight, pools.back().size + last.size};
      }
    }
    size_t i = 0;
    for (const Pool& pool : pools) {
      for (size_t n = 0; n < pool.size; ++n, ++i) vertices_[layer[i]].centre = pool.mean() + offset[i];
    }
  }

  void place() {
    for (const auto& layer : layers_) place_layer(layer, std::vector<double>(layer.size(), 0.0));
    const auto sweep = [&](const std::vector<size_t>& layer, std::vector<size_t> Vertex::*neighbours) {
      std::vector<double> wishes;
      for (const size_t v : layer) {
        const Vertex& vertex = vertices_[v];
        wishes.push_back(mean(
            vertex.*neighbours, [](const Vertex& neighbour) { return neighbour.centre; }, vertex.centre));
      }
      place_layer(layer, wishes);
    };
    for (int i = 0; i < kPlaceSweeps; ++i) {
      for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) sweep(*layer, &Vertex::below);
      for (const auto& layer : layers_) sweep(layer, &Vertex::above);  // at last: everything hangs straight from above
    }
  }

  std::span<const BoxSize> sizes_;
  std::span<const GraphEdge> edges_;
  std::vector<Vertex> vertices_;  // the boxes, then the passing edges
  std::vector<size_t> number_;    // of the boxes, in the order of layers
  std::vector<std::vector<size_t>> layers_;
  std::vector<std::vector<size_t>> chains_;  // per edge: its vertices
};

}  // namespace

Layout lay_out(std::span<const BoxSize> sizes, std::span<const GraphEdge> edges) { return LayerLayout(sizes, edges).result(); }

}  // namespace nnvk::tools
