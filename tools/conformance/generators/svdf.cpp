// SVDF.
#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

namespace {

struct Svdf {
  uint32_t batch = 1;
  uint32_t inputs = 1;
  uint32_t units = 1;
  uint32_t rank = 1;
  uint32_t memory = 1;
  bool bias = true;
  int32_t activation = 0;
  bool given_weights = false;
};

void declare(Draft& c, int32_t type, const Svdf& p) {
  const uint32_t filters = p.units * p.rank;
  c.input(tensor(type, {p.batch, p.inputs}), reals(-1, 1));
  c.weight(tensor(type, {filters, p.inputs}), reals(-1, 1), p.given_weights);
  c.weight(tensor(type, {filters, p.memory}), reals(-1, 1), p.given_weights);
  declare_optional(c, p.bias, tensor(type, {p.units}), {reals(-1, 1)});
  c.input(tensor(type, {p.batch, filters * p.memory}), reals(-1, 1));
  c.int32(static_cast<int32_t>(p.rank));
  c.int32(p.activation);
  const bool is_long = p.rank * p.memory > 1000;
  if (type == kFloat32) c.tolerance(is_long ? 5e-3 : 5e-5, is_long ? 1e-4 : 1e-5);
  if (type == kFloat16 && is_long) c.tolerance(0.1, 5.0 / 1024);
  outputs(c, type, 2);
}

void add_edges(Rows& rows) {
  for (const int32_t type : kFloats) {
    const auto add = [&](const std::string& name, const Svdf& p) {
      rows.edge(ANEURALNETWORKS_SVDF, type, name, [=](Draft& c) { declare(c, type, p); });
    };
    for (const uint32_t memory : {1, 2, 3, 10}) {
      for (const uint32_t rank : {1, 2, 3}) {
        const auto name = "rank_" + std::to_string(rank) + "_memory_" + std::to_string(memory);
        add(name, {2, 3, 4, rank, memory});
        add(name + "_relu", {3, 8, 5, rank, memory, false, 1});
      }
    }
    add("33_units", {.inputs = 20, .units = 33, .memory = 5, .activation = 2});
    add("given_weights", {.batch = 2, .inputs = 4, .units = 4, .activation = 3, .given_weights = true});
    // Sums that take several dispatches. Parts end within the memory of a unit and at its newest entry.
    add("long_memory", {.batch = 2, .inputs = 2, .units = 3, .memory = 70001});
    add("several_long_memories", {.inputs = 2, .units = 2, .rank = 5, .memory = 16384, .bias = false});
    add("many_memories", {.rank = 70003, .memory = 2});
  }
}

}  // namespace

void add_svdf_rows(Rows& rows) {
  for (const int32_t type : kFloats) {
    for (const uint32_t batch : {1, 3}) {
      for (const uint32_t inputs : {1, 5, 16}) {
        for (const uint32_t units : {1, 4, 7, 31}) {
          for (const uint32_t rank : {1, 2}) {
            for (const bool bias : {false, true}) {
              const Svdf p{batch, inputs, units, rank, 3, bias};
              rows.add(ANEURALNETWORKS_SVDF, type, bias ? "with_bias" : "without_bias", dims_label({batch, inputs, units, rank}),
                       [=](Draft& c) { declare(c, type, p); });
            }
          }
        }
      }
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
