// LSH_PROJECTION.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

namespace {

void add_edges(Rows& rows) {
  const auto add = [&](const std::string& type, const std::string& name, const Tensor& hash, const Tensor& input,
                       const Values& values, const Values& weights, int32_t kind) {
    return &rows.edge(ANEURALNETWORKS_LSH_PROJECTION, type, name, [=](Draft& c) {
      c.input(hash);
      c.input(input, values);
      const Tensor weight = tensor(hash.type, {input.dims[0]});
      if (kind == 2) {
        c.input(weight, weights);
      } else {
        c.omitted(weight);
      }
      c.int32(kind);
      c.output(tensor(kInt32, {}));
    });
  };
  for (const int32_t hash : kFloats) {
    for (const int32_t input : {kFloat32, kInt32, kQuant8, kFloat16}) {
      for (const uint32_t length : {1, 2, 3, 5, 8, 13, 15, 29, 31, 61, 129, 250}) {
        add(type_label(hash) + "_of_" + type_label(input), "key_of_" + std::to_string(length), tensor(hash, {3, 7}),
            tensor(input, {5, length}), {}, {},
            length % 2 == 1   ? 2
            : length % 4 == 0 ? 3
                              : 1);
      }
    }
  }
  add("float32_of_int32", "32_bits", tensor(kFloat32, {2, 32}), tensor(kInt32, {2, 2}), {}, {}, 3);
  add("float32_of_float32", "long_rows", tensor(kFloat32, {2, 3}), tensor(kFloat32, {3, 78001}), {}, {}, 3);
  for (const double special : {0.5, kInfinity, -kInfinity, kNan}) {
    const auto name = special == 0.5 ? std::string("half") : std::to_string(special);
    // Weights of every magnitude round like doubles; equal rows cancel exactly.
    auto* const weighed = add("float32_of_int32", "weights_and_" + name, tensor(kFloat32, {16, 8}), tensor(kInt32, {21, 1}),
                              stored(7, 7), listed({1e30, -1e30, 1e-41, 3.4e38, -3.4e38, 1e-20, 0,  -0.0, 1,      -1,     1.5,
                                                    -0.1, 1e12,  -1e12, 1e-3,   7,       5,     -9, 11,   -1e-30, special}),
                              2);
    // More rows than an invocation takes in one dispatch: a chunk has 351 of these.
    auto* const many =
        add("float32_of_float32", "many_rows_and_" + name, tensor(kFloat32, {3, 9}), tensor(kFloat32, {800, 129}), {},
            each([=](uint64_t i) {
              return i == 10 ? (special < 0 ? 0.5 : kInfinity) : i == 790 ? special : static_cast<double>(i % 17) - 8;
            }),
            2);
    if (special != special) {
      for (auto* const row : {weighed, many}) row->same_for_all_seeds("NaN is the sum, whatever else is added");
    }
  }
  add("float32_of_float32", "many_rows", tensor(kFloat32, {2, 32}), tensor(kFloat32, {800, 129}), {}, {}, 3);
}

}  // namespace

void add_lsh_projection_rows(Rows& rows) {
  for (const int32_t hash : {kFloat32, kFloat16}) {
    for (const int32_t input : {kFloat32, kInt32, kQuant8, kFloat16}) {
      for (const int32_t kind : {1, 2, 3}) {
        for (const auto& [hashes, bits] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {4, 3}, {3, 17}, {2, 30}}) {
          const auto label = type_label(hash) + "_of_" + type_label(input);
          const auto name = std::to_string(hashes) + "x" + std::to_string(bits);
          const char* const groups[] = {"", "sparse_deprecated", "dense", "sparse"};
          rows.add(ANEURALNETWORKS_LSH_PROJECTION, label, groups[kind], name, [=](Draft& c) {
            c.input(tensor(hash, {hashes, bits}));
            c.input(tensor(input, {5, 3}));
            if (kind == 2) {
              c.input(tensor(hash, {5}));
            } else {
              c.omitted(tensor(hash, {5}));
            }
            c.int32(kind);
            c.output(tensor(kInt32, {}));
          });
        }
      }
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
