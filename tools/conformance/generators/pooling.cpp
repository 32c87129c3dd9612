// AVERAGE_POOL_2D, L2_POOL_2D, MAX_POOL_2D.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

void declare(Draft& c, const Tensor& input, const Window& window, int32_t activation, bool nchw) {
  c.input(input);
  declare_padding_and_strides(c, window);
  c.int32(static_cast<int32_t>(window.filter_width));
  c.int32(static_cast<int32_t>(window.filter_height));
  c.int32(activation);
  c.boolean(nchw);
  Tensor output = input;
  c.output(output);
}

}  // namespace

void add_pooling_rows(Rows& rows) {
  const std::vector<int32_t> floats{kFloat32, kFloat16};
  const std::vector<int32_t> all{kFloat32, kFloat16, kQuant8, kQuant8Signed};
  for (const int32_t operation : {ANEURALNETWORKS_AVERAGE_POOL_2D, ANEURALNETWORKS_L2_POOL_2D, ANEURALNETWORKS_MAX_POOL_2D}) {
    for (const int32_t type : operation == ANEURALNETWORKS_L2_POOL_2D ? floats : all) {
      for (const auto& window : windows(false)) {
        for (const auto& shape : image_shapes()) {
          for (const bool nchw : {false, true}) {
            const auto dims = image_dims(shape, nchw);
            rows.add(operation, type, nchw ? "nchw" : "nhwc", window.name + "_" + dims_label(dims),
                     [=](Draft& c) { declare(c, tensor(type, dims), window, 0, nchw); });
          }
        }
      }
      for (int32_t activation = 1; activation <= 3; ++activation) {
        rows.add(operation, type, "activation", std::to_string(activation), [=](Draft& c) {
          declare(c, tensor(type, {1, 5, 7, 3}), windows(false)[0], activation, false);
        });
      }
      rows.add(operation, type, "empty", "no_batches", [=](Draft& c) {
        c.empty(tensor(type, {0, 3, 3, 2}));
        for (const int32_t parameter : {2, 1, 1, 2, 2, 0}) c.int32(parameter);
        c.boolean(false);
        c.output(tensor(type, {}));
      });
    }
    rows.add(operation, kFloat32, "refused", "filter_larger_than_the_image",
             [=](Draft& c) {
               declare(c, tensor(kFloat32, {1, 2, 2, 1}), {.name = "", .implicit_padding = 2, .filter_width = 4}, 0, false);
             })
        .refused();
    rows.add(operation, kFloat32, "refused", "stride_0",
             [=](Draft& c) {
               declare(c, tensor(kFloat32, {1, 4, 4, 1}), {.name = "", .implicit_padding = 1, .stride_width = 0}, 0, false);
             })
        .refused();
  }
}

}  // namespace nnvk::tools::conformance
