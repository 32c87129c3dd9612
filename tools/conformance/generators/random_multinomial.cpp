// RANDOM_MULTINOMIAL.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

namespace {

void declare(Draft& c, const Tensor& in, const Values& logits, int32_t samples, const Values& seeds) {
  c.input(in, logits);
  c.int32(samples);
  c.input(tensor(kInt32, {2}), seeds);
  c.output(tensor(kInt32, {}));
}

void add_edges(Rows& rows) {
  const auto add = [&](const std::string& name, const Tensor& in, int32_t samples, const Values& logits,
                       const std::vector<double>& seeds) {
    rows.edge(ANEURALNETWORKS_RANDOM_MULTINOMIAL, in.type, name,
              [=](Draft& c) { declare(c, in, logits, samples, listed(seeds)); });
  };
  const std::vector<std::vector<double>> seeds{{1, 2}, {-7, 0}, {0, -1}, {-2147483648.0, 2147483647.0}};
  for (const int32_t type : kFloats) {
    for (size_t i = 0; i < seeds.size(); ++i) {
      for (const double range : {0.1, 3.0, 60.0}) {
        add("seeds_" + std::to_string(i) + "_up_to_" + std::to_string(static_cast<int>(range)), tensor(type, {3, 37}), 301,
            reals(-range, range), seeds[i]);
      }
    }
  }
  // Sums over many classes must be accurate. These rows are too long for one invocation in one dispatch.
  add("50000_classes", tensor(kFloat32, {1, 50000}), 5000, reals(-0.5, 0.5), {11, 12});
  add("140003_classes", tensor(kFloat32, {2, 140003}), 5000,
      each([](uint64_t i) { return static_cast<double>(i % 140003) * 4e-5 + static_cast<double>(i % 7) * 0.3; }), {3, 14});
  // Classes whose values are not finite have probability zero.
  add("odd_values", tensor(kFloat32, {3, 8}), 50,
      listed({kInfinity,  -kInfinity, 1,    kNan, 0.5,   3e38,   -3e38, 1e-41, kNan,  kInfinity, kNan, kNan,
              -kInfinity, kNan,       kNan, kNan, 1e-41, -1e-41, 0,     -0.0,  1e-20, -1e-20,    40,   0.1}),
      {5, 6});
}

}  // namespace

void add_random_multinomial_rows(Rows& rows) {
  const Values any_seeds = stored(1, 1000000);
  for (const int32_t type : kFloats) {
    for (const uint32_t classes : {2, 5, 17}) {
      for (const int32_t samples : {1, 7, 64}) {
        rows.add(ANEURALNETWORKS_RANDOM_MULTINOMIAL, type, "classes", std::to_string(samples) + "_of_" + std::to_string(classes),
                 [=](Draft& c) {
                   declare(c, tensor(type, {3, classes}), {}, samples, any_seeds);
                 });
      }
    }
    rows.refused(ANEURALNETWORKS_RANDOM_MULTINOMIAL, type, "negative_count", [=](Draft& c) {
      declare(c, tensor(type, {3, 4}), {}, -1, any_seeds);
    });
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
