// RANDOM_MULTINOMIAL.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

void add_random_multinomial_rows(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const uint32_t classes : {2, 5, 17}) {
      for (const int32_t samples : {1, 7, 64}) {
        rows.add(ANEURALNETWORKS_RANDOM_MULTINOMIAL, type, "classes", std::to_string(samples) + "_of_" + std::to_string(classes),
                 [=](Draft& c) {
                   c.input(tensor(type, {3, classes}));
                   c.int32(samples);
                   c.input(tensor(kInt32, {2}), stored(1, 1000000));
                   c.output(tensor(kInt32, {}));
                 });
      }
    }
    rows.add(ANEURALNETWORKS_RANDOM_MULTINOMIAL, type, "refused", "negative_count",
             [=](Draft& c) {
               c.input(tensor(type, {3, 4}));
               c.int32(-1);
               c.input(tensor(kInt32, {2}), stored(1, 1000000));
               c.output(tensor(kInt32, {}));
             })
        .refused();
  }
}

}  // namespace nnvk::tools::conformance
