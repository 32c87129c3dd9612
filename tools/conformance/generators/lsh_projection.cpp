// LSH_PROJECTION.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

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
}

}  // namespace nnvk::tools::conformance
