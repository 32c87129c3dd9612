// SVDF.
#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

void add_svdf_rows(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const uint32_t batch : {1, 3}) {
      for (const uint32_t inputs : {1, 5, 16}) {
        for (const uint32_t units : {1, 4, 7, 31}) {
          const auto name = std::to_string(batch) + "_" + std::to_string(inputs) + "_" + std::to_string(units);
          for (const uint32_t rank : {1, 2}) {
            for (const bool bias : {false, true}) {
              rows.add(ANEURALNETWORKS_SVDF, type, bias ? "with_bias" : "without_bias", name + "_rank_" + std::to_string(rank),
                       [=](Draft& c) {
                         const uint32_t filters = units * rank;
                         constexpr uint32_t kMemory = 3;
                         c.input(tensor(type, {batch, inputs}));
                         c.constant(tensor(type, {filters, inputs}), weight_values());
                         c.constant(tensor(type, {filters, kMemory}), weight_values());
                         if (bias) {
                           c.constant(tensor(type, {units}), weight_values());
                         } else {
                           c.omitted(tensor(type, {units}));
                         }
                         c.input(tensor(type, {batch, kMemory * filters}));
                         c.int32(static_cast<int32_t>(rank));
                         c.int32(0);
                         allow_recurrent_rounding(c, type);
                         c.output(tensor(type, {}));
                         c.output(tensor(type, {}));
                       });
            }
          }
        }
      }
    }
  }
}

}  // namespace nnvk::tools::conformance
