// A form is one way to compute a product. This table lists forms, best first; a product gets the first that computes its
// elements, has its features, is default or requested, and fits. A new form needs a row here, an emitter beside it, and a shader.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "convolution_kernels.h"
#include "depthwise_kernels.h"
#include "half_convolution_kernels.h"
#include "matrix_convolution_kernels.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/kernels/products/depthwise.h"
#include "vulkan/kernels/products/dot_products.h"
#include "vulkan/kernels/products/group_tiles.h"
#include "vulkan/kernels/products/halves.h"
#include "vulkan/kernels/products/matrices.h"
#include "vulkan/kernels/products/register_tiles.h"
#include "vulkan/kernels/products/split_sums.h"

namespace nnvk::vulkan {

enum class ProductLayers : uint8_t { kDense, kDepthwise };

// The kernel of a form for each kind of elements; the device must have its features. Without a kernel, the form cannot compute
// these elements.
struct ProductKernels {
  std::optional<KernelId> bytes = {};
  std::optional<KernelId> halves = {};  // FLOAT16, and FLOAT32 in relaxed models
  std::optional<KernelId> floats = {};  // other FLOAT32
  std::optional<KernelId> of(const ProductShape& shape) const {
    if (!is_float_tensor(shape.type)) return element_size(shape.type) == 1 ? bytes : std::nullopt;
    return shape.relaxed || shape.type == OperandType::kTensorFloat16 ? halves : floats;
  }
};

// A form, whose emitter takes a `Choice`: sizes of tiles and the like. reason_of() tells in words why it was chosen.
template <class Choice>
struct ProductForm {
  KernelForm form;       // requests and calibrations name it
  const char* label;     // what Dispatch::label ends with
  ProductLayers layers;  // those that it computes
  ProductKernels needs;
  // Whether a device uses the form without a request for the form. Software Vulkan and GPUs differ.
  bool (*is_default)(const ProductShape& shape, const DeviceTraits& traits);
  std::optional<Choice> (*fits)(const ProductShape& shape, const DeviceTraits& traits);
  Status (*emit)(const EmitContext& context, const Product& product, const Choice& choice);
};

namespace product_defaults {
inline bool always(const ProductShape&, const DeviceTraits&) { return true; }
inline bool never(const ProductShape&, const DeviceTraits&) { return false; }
inline bool on_gpus(const ProductShape&, const DeviceTraits& traits) { return !traits.is_software(); }
inline bool on_gpus_with_own_memory(const ProductShape&, const DeviceTraits& traits) {
  return traits.machine.kind == MachineKind::kDiscrete;
}
inline bool with_fast_dot_products(const ProductShape&, const DeviceTraits& traits) { return traits.fast_dot_products; }
// Returns false if the request for halves (of floats) or dot products (of bytes) excludes matrices for these elements.
inline bool on_gpus_without_other_request(const ProductShape& shape, const DeviceTraits& traits) {
  return !traits.is_software() && !traits.forms.contains(is_float_tensor(shape.type) ? KernelForm::kHalf : KernelForm::kDot);
}
}  // namespace product_defaults

// Serves as the `fits` of a form that computes every product: returns what `choose` returns.
template <auto choose>
auto always_fits(const ProductShape& shape, const DeviceTraits& traits) {
  return std::optional(choose(shape, traits));
}

inline constexpr std::tuple kProductForms = {
    ProductForm<MatrixChoice>{
        .form = KernelForm::kMatrix,
        .label = ", cooperative matrices",
        .layers = ProductLayers::kDense,
        .needs = {.bytes = kernels::kMatrixConvolutionInteger.id, .halves = kernels::kMatrixConvolutionFloat.id},
        .is_default = product_defaults::on_gpus_without_other_request,
        .fits = choose_matrices,
        .emit = emit_matrices,
    },
    ProductForm<DotChoice>{
        .form = KernelForm::kDot,
        .label = ", dot products",
        .layers = ProductLayers::kDense,
        .needs = {.bytes = kernels::kDotConvolution.id},
        .is_default = product_defaults::with_fast_dot_products,
        .fits = choose_dot,
        .emit = emit_dot_products,
    },
    ProductForm<HalfChoice>{
        .form = KernelForm::kHalf,
        .label = ", halves",
        .layers = ProductLayers::kDense,
        .needs = {.halves = kernels::kHalfConvolution.id},
        .is_default = product_defaults::on_gpus,
        .fits = choose_half,
        .emit = emit_halves,
    },
    ProductForm<SplitSum>{
        .form = KernelForm::kSplit,
        .label = ", split sums",
        .layers = ProductLayers::kDense,
        .needs = {.bytes = kernels::kConvolutionSplitInteger.id,
                  .halves = kernels::kConvolutionSplitFloat.id,
                  .floats = kernels::kConvolutionSplitFloat.id},
        .is_default = product_defaults::on_gpus,
        .fits = choose_split_sum,
        .emit = emit_split_sums,
    },
    ProductForm<GroupTile>{
        .form = KernelForm::kTiles,
        .label = ", tiles in shared memory",
        .layers = ProductLayers::kDense,
        .needs = {.halves = kernels::kConvolutionTiledFloat.id, .floats = kernels::kConvolutionTiledFloat.id},
        .is_default = product_defaults::on_gpus_with_own_memory,
        .fits = choose_group_tile,
        .emit = emit_group_tiles,
    },
    ProductForm<RegisterTile>{
        .form = KernelForm::kPlainProducts,
        .label = "",
        .layers = ProductLayers::kDense,
        .needs = {.bytes = kernels::kConvolutionInteger.id,
                  .halves = kernels::kConvolutionFloat.id,
                  .floats = kernels::kConvolutionFloat.id},
        .is_default = product_defaults::always,
        .fits = always_fits<choose_register_tile>,
        .emit = emit_register_tiles,
    },
    // Only on request, because the kernel must first convert rows to words. Mesa 22.3.6's compiler for Navi 21 expects three
    // times the cycles of depthwise.comp for a 3x3 filter and 4 pixels (8241 against 2755).
    ProductForm<DotDepthwiseChoice>{
        .form = KernelForm::kDot,
        .label = ", dot products",
        .layers = ProductLayers::kDepthwise,
        .needs = {.bytes = kernels::kDotDepthwise.id},
        .is_default = product_defaults::never,
        .fits = choose_dot_depthwise,
        .emit = emit_dot_depthwise,
    },
    ProductForm<DepthwiseChoice>{
        .form = KernelForm::kPlainProducts,
        .label = "",
        .layers = ProductLayers::kDepthwise,
        .needs = {.bytes = kernels::kDepthwiseInteger.id,
                  .halves = kernels::kDepthwiseFloat.id,
                  .floats = kernels::kDepthwiseFloat.id},
        .is_default = product_defaults::always,
        .fits = always_fits<choose_depthwise>,
        .emit = emit_depthwise_tiles,
    },
};

// Returns the form's choice for a product on a device. Returns nullopt if a later form computes the product.
template <class Choice>
std::optional<Choice> choose(const ProductForm<Choice>& form, const ProductShape& shape, const DeviceTraits& traits) {
  if (shape.depthwise != (form.layers == ProductLayers::kDepthwise)) return std::nullopt;
  const std::optional<KernelId> kernel = form.needs.of(shape);
  if (!kernel || !has_features_of(kernel_info(*kernel), traits) || traits.leaves_out(form.form)) return std::nullopt;
  if (!traits.forms.contains(form.form) && !form.is_default(shape, traits)) return std::nullopt;
  return form.fits(shape, traits);
}

// Emits the product in the first form that fits. RESOURCE_EXHAUSTED_PERSISTENT if the product is larger than one dispatch.
Status emit_in_first_form(const EmitContext& context, Product product);

// Returns the forms beside kPlainProducts, in the order of the table, each once.
std::vector<KernelForm> special_product_forms();

}  // namespace nnvk::vulkan
