// LSH_PROJECTION.
#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

namespace {

struct Projection {
  Tensor hash;
  Tensor input;
  int32_t kind;
  Values values{};   // of the input
  Values weights{};  // only for dense projections; the others have none

  std::string types() const { return type_label(hash.type) + "_of_" + type_label(input.type); }
};

void declare(Draft& c, const Projection& p) {
  c.input(p.hash);
  c.input(p.input, p.values);
  declare_optional(c, p.kind == 2, tensor(p.hash.type, {p.input.dims[0]}), {p.weights, true});
  c.int32(p.kind);
  c.output(tensor(kInt32, {}));
}

void add_edges(Rows& rows) {
  const auto add = [&](const std::string& name, const Projection& p) {
    return &rows.edge(ANEURALNETWORKS_LSH_PROJECTION, p.types(), name, [=](Draft& c) { declare(c, p); });
  };
  for (const int32_t hash : kFloats) {
    for (const int32_t input : {kFloat32, kInt32, kQuant8, kFloat16}) {
      for (const uint32_t length : {1, 2, 3, 5, 8, 13, 15, 29, 31, 61, 129, 250}) {
        const int32_t kind = length % 2 == 1 ? 2 : length % 4 == 0 ? 3 : 1;
        add("key_of_" + std::to_string(length), {tensor(hash, {3, 7}), tensor(input, {5, length}), kind});
      }
    }
  }
  add("32_bits", {tensor(kFloat32, {2, 32}), tensor(kInt32, {2, 2}), 3});
  add("long_rows", {tensor(kFloat32, {2, 3}), tensor(kFloat32, {3, 78001}), 3});
  for (const double special : {0.5, kInfinity, -kInfinity, kNan}) {
    const auto name = special == 0.5 ? std::string("half") : std::to_string(special);
    // Weights of every magnitude: sums must round as in double precision, and equal values of opposite sign must cancel exactly.
    const Values weights = listed({1e30, -1e30, 1e-41, 3.4e38, -3.4e38, 1e-20, 0,  -0.0, 1,      -1,     1.5,
                                   -0.1, 1e12,  -1e12, 1e-3,   7,       5,     -9, 11,   -1e-30, special});
    auto* const weighed =
        add("weights_and_" + name, {tensor(kFloat32, {16, 8}), tensor(kInt32, {21, 1}), 2, stored(7, 7), weights});
    // More rows than an invocation handles in one dispatch: here, that is 351 rows.
    const Values row_weights = each([=](uint64_t i) {
      return i == 10 ? (special < 0 ? 0.5 : kInfinity) : i == 790 ? special : static_cast<double>(i % 17) - 8;
    });
    Projection many_rows{tensor(kFloat32, {3, 9}), tensor(kFloat32, {800, 129}), 2};
    many_rows.weights = row_weights;
    auto* const many = add("many_rows_and_" + name, many_rows);
    if (special != special) {
      for (auto* const row : {weighed, many}) row->same_for_all_seeds("NaN is the sum, whatever else is added");
    }
  }
  add("many_rows", {tensor(kFloat32, {2, 32}), tensor(kFloat32, {800, 129}), 3});
}

}  // namespace

void add_lsh_projection_rows(Rows& rows) {
  for (const int32_t hash : kFloats) {
    for (const int32_t input : {kFloat32, kInt32, kQuant8, kFloat16}) {
      for (const int32_t kind : {1, 2, 3}) {
        for (const auto& [hashes, bits] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {4, 3}, {3, 17}, {2, 30}}) {
          const Projection p{tensor(hash, {hashes, bits}), tensor(input, {5, 3}), kind};
          const auto name = std::to_string(hashes) + "x" + std::to_string(bits);
          const char* const groups[] = {"", "sparse_deprecated", "dense", "sparse"};
          rows.add(ANEURALNETWORKS_LSH_PROJECTION, p.types(), groups[kind], name, [=](Draft& c) { declare(c, p); });
        }
      }
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
