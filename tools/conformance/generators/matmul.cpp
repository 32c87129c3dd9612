// FULLY_CONNECTED and BATCH_MATMUL.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

// Floats are summed in another order than the reference's; products lie in [-4, 4].
void allow_other_order(Draft& c, int32_t type) {
  if (type == kFloat32) c.tolerance(2e-4, 1e-5);
  if (type == kFloat16) c.tolerance(0.01, 0.005);
}

void fully_connected(Draft& c, int32_t type, const Dims& input_dims, uint32_t size, uint32_t units, int32_t activation) {
  const Tensor input = tensor(type, input_dims);
  Tensor weights = tensor(type, {units, size});
  if (type == kQuant8) weights = weights.quantized(1.0f / 64, 130);
  c.input(input);
  c.constant(weights);
  c.constant(bias_for(input, weights, units), input.scale == 0 ? Values{} : stored(-500, 500));
  c.int32(activation);
  allow_other_order(c, type);
  c.output(sum_output(type));
}

void batch_matmul(Draft& c, int32_t type, const Dims& x, const Dims& y, bool adj_x, bool adj_y) {
  const auto adjoint = [](Dims dims, bool swap) {
    if (swap) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return dims;
  };
  c.input(tensor(type, adjoint(x, adj_x)));
  c.input(tensor(type, adjoint(y, adj_y)));
  c.boolean(adj_x);
  c.boolean(adj_y);
  allow_other_order(c, type);
  c.output(sum_output(type));
}

struct Matrices {
  Dims x;
  Dims y;
};
const Matrices kMatrices[] = {{{1, 1}, {1, 1}},
                              {{3, 5}, {5, 7}},
                              {{4, 8}, {8, 16}},
                              {{17, 3}, {3, 31}},
                              {{1, 65}, {65, 2}},
                              {{2, 3, 4}, {2, 4, 5}},
                              {{2, 3, 5, 7}, {2, 3, 7, 2}},
                              {{2, 1, 6, 4}, {2, 1, 4, 12}},
                              {{5, 1, 9}, {5, 9, 3}},
                              {{1, 3, 4}, {1, 4, 2}}};

}  // namespace

void add_matmul_rows(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16, kQuant8, kQuant8Signed}) {
    constexpr int32_t kOperation = ANEURALNETWORKS_FULLY_CONNECTED;
    for (const uint32_t size : {1, 3, 4, 7, 8, 17, 64}) {
      for (const uint32_t units : {1, 4, 5, 16, 31}) {
        rows.add(kOperation, type, "sizes", std::to_string(size) + "_to_" + std::to_string(units), [=](Draft& c) {
          fully_connected(c, type, {3, size}, size, units, 0);
        });
      }
    }
    for (const auto& dims : std::vector<Dims>{{2, 3, 5}, {2, 2, 3, 4}, {4, 6}}) {
      rows.add(kOperation, type, "input_shape", dims_label(dims),
               [=](Draft& c) { fully_connected(c, type, dims, dims.size() == 3 ? 15 : 12, 7, 0); });
    }
    for (int32_t activation = 1; activation <= 3; ++activation) {
      rows.add(kOperation, type, "activation", std::to_string(activation), [=](Draft& c) {
        fully_connected(c, type, {3, 5}, 5, 7, activation);
      });
    }
    rows.add(kOperation, type, "refused", "sizes_that_do_not_divide",
             [=](Draft& c) {
               fully_connected(c, type, {3, 5}, 4, 7, 0);
             })
        .refused();
  }
  for (const int32_t type : {kFloat32, kFloat16, kQuant8Signed, kInt32}) {
    for (const auto& row : kMatrices) {
      for (const bool adj_x : {false, true}) {
        for (const bool adj_y : {false, true}) {
          const auto group = std::string(adj_x ? "adjoint" : "plain") + (adj_y ? "_adjoint" : "_plain");
          rows.add(ANEURALNETWORKS_BATCH_MATMUL, type, group, dims_label(row.x) + "_" + dims_label(row.y),
                   [=](Draft& c) { batch_matmul(c, type, row.x, row.y, adj_x, adj_y); });
        }
      }
    }
    // The specification asks for equal batches; nothing is broadcast.
    rows.add(ANEURALNETWORKS_BATCH_MATMUL, type, "refused", "batches_that_differ",
             [=](Draft& c) {
               batch_matmul(c, type, {1, 3, 4}, {5, 4, 2}, false, false);
             })
        .refused();
    rows.add(ANEURALNETWORKS_BATCH_MATMUL, type, "refused", "sizes_that_differ",
             [=](Draft& c) {
               batch_matmul(c, type, {3, 4}, {5, 2}, false, false);
             })
        .refused();
  }
}

}  // namespace nnvk::tools::conformance
