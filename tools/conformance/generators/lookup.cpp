// EMBEDDING_LOOKUP, GATHER, HASHTABLE_LOOKUP.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

void gather(Draft& c, const Tensor& in, int32_t axis, const Dims& indices, const Values& values) {
  c.input(in);
  c.int32(axis);
  c.input(tensor(kInt32, indices), values);
  c.output(tensor(in.type, {}));
}

void embedding(Draft& c, int32_t type, uint32_t count, const Dims& table, const Values& lookups) {
  c.input(tensor(kInt32, {count}), lookups);
  c.input(tensor(type, table));
  c.output(tensor(type, {}));
}

struct Hashtable {
  uint32_t count;  // of lookups
  Values lookups;
  Values keys;
  Dims table;
};

void hashtable(Draft& c, int32_t type, const Hashtable& p) {
  c.input(tensor(kInt32, {p.count}), p.lookups);
  c.input(tensor(kInt32, {p.table[0]}), p.keys);
  c.input(tensor(type, p.table));
  c.output(tensor(type, {}));
  c.output(tensor(kQuant8, {}).quantized(1, 0));
}

void add_edges(Rows& rows) {
  rows.refused_edge(ANEURALNETWORKS_GATHER, kFloat32, "refused_constant_index", [](Draft& c) {
    c.input(tensor(kFloat32, {4, 3}));
    c.int32(0);
    c.int32s({0, 4});
    c.output(tensor(kFloat32, {}));
  });
  for (const int32_t type : kFive) {
    for (const uint32_t inner : {1, 3, 4, 8}) {
      const auto name = std::to_string(inner);
      rows.edge(ANEURALNETWORKS_GATHER, type, "inner_" + name, [=](Draft& c) {
        gather(c, tensor(type, {3, 5, inner}), -2, {2, 3}, stored(0, 4));
      });
      rows.edge(ANEURALNETWORKS_EMBEDDING_LOOKUP, type, "inner_" + name, [=](Draft& c) {
        embedding(c, type, 5, {4, inner, 2}, stored(0, 3));
      });
      rows.refused_edge(ANEURALNETWORKS_GATHER, type, "refused_index_" + name, [=](Draft& c) {
        gather(c, tensor(type, {2, 5, inner}), 1, {3}, listed({4, 5, 0}));
      });
    }
  }
  for (const int32_t type : {kFloat32, kInt32, kQuant8}) {
    const auto add = [&](const std::string& name, const std::vector<double>& lookups, const Values& keys, const Dims& table) {
      const Hashtable p{static_cast<uint32_t>(lookups.size()), listed(lookups), keys, table};
      rows.edge(ANEURALNETWORKS_HASHTABLE_LOOKUP, type, name, [=](Draft& c) { hashtable(c, type, p); });
    };
    const double low = -2147483648.0;
    const double high = 2147483647.0;
    for (const uint32_t inner : {1, 3, 4}) {
      const std::vector<double> lookups{7, low, high, 5, 6, 0, -3, 1, 8};
      const auto suffix = "_" + std::to_string(inner);
      add("ends" + suffix, lookups, listed({low, -3, 0, 7, high}), {5, inner});
      add("equal_keys" + suffix, lookups, listed({5, 5, 5, 6, 6}), {5, inner});
      add("out_of_order" + suffix, lookups, listed({9, 2, 7, 1, 0}), {5, inner});
    }
    add("large", {110000, -100000, 109997, 2, 110001}, each([](uint64_t i) { return 3 * static_cast<double>(i) - 100000; }),
        {70001, 2});
  }
}

}  // namespace

void add_lookup_rows(Rows& rows) {
  for (const int32_t type : kFive) {
    for (const auto& shape : std::vector<Dims>{{17}, {5, 7}, {3, 4, 5}, {2, 3, 4, 5}, {2, 3, 1, 2, 3}}) {
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        for (const auto& indices : std::vector<Dims>{{1}, {7}, {3, 5}}) {
          const int32_t given = static_cast<int32_t>(axis) - (axis % 2 ? static_cast<int32_t>(shape.size()) : 0);
          rows.add(ANEURALNETWORKS_GATHER, type, "axis",
                   dims_label(shape) + "_axis_" + std::to_string(given) + "_indices_" + dims_label(indices),
                   [=](Draft& c) { gather(c, tensor(type, shape), given, indices, stored(0, shape[axis] - 1)); });
        }
      }
    }
    for (const int32_t index : {-1, 4, 2147483647, -2147483647}) {
      rows.refused(ANEURALNETWORKS_GATHER, type, "index_" + std::to_string(index), [=](Draft& c) {
        gather(c, tensor(type, {4, 3}), 0, {3}, listed({0, static_cast<double>(index), 1}));
      });
      rows.refused(ANEURALNETWORKS_EMBEDDING_LOOKUP, type, "index_" + std::to_string(index), [=](Draft& c) {
        embedding(c, type, 3, {4, 3}, listed({0, static_cast<double>(index), 1}));
      });
    }
    for (const auto& table : std::vector<Dims>{{3, 1}, {5, 7}, {17, 3}, {4, 8}, {3, 2, 5}, {2, 3, 2, 3}}) {
      for (const uint32_t count : {1, 3, 8}) {
        const auto name = std::to_string(count) + "_of_" + dims_label(table);
        rows.add(ANEURALNETWORKS_EMBEDDING_LOOKUP, type, "table", name,
                 [=](Draft& c) { embedding(c, type, count, table, stored(0, table[0] - 1)); });
        if (type != kFloat32 && type != kInt32 && type != kQuant8) continue;
        // The keys are 0, 3, 6 and so on, so two thirds of the lookups find nothing.
        const Values keys = each([](uint64_t i) { return 3 * static_cast<double>(i); });
        const Hashtable p{count, stored(-2, 3 * static_cast<int64_t>(table[0])), keys, table};
        rows.add(ANEURALNETWORKS_HASHTABLE_LOOKUP, type, "table", name, [=](Draft& c) { hashtable(c, type, p); });
      }
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
