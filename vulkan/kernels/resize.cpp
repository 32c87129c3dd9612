// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: the host maps output rows and columns to input ones; the GPU reads that map.
#include <bit>
#include <vector>

#include "core/operations/parameters/resize_parameters.h"
#include "core/operations/rules/shape_rules.h"
#include "resize_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/strided_move.h"

namespace nnvk::vulkan {
namespace {

std::vector<std::byte> bilinear_table(const ResizeParams& params, ResizeMapping mapping) {
  std::vector<uint32_t> words;
  const auto append = [&](uint32_t in, uint32_t out) {
    for (const ResizeTap& tap : bilinear_taps(in, out, mapping)) {
      words.insert(words.end(), {tap.low, tap.high, std::bit_cast<uint32_t>(tap.weight), 0});
    }
  };
  append(params.in_height, params.out_height);
  append(params.in_width, params.out_width);
  return to_bytes(words);
}

std::vector<std::byte> nearest_table(const ResizeParams& params, ResizeMapping mapping) {
  std::vector<uint32_t> words = nearest_sources(params.in_height, params.out_height, mapping);
  const std::vector<uint32_t> columns = nearest_sources(params.in_width, params.out_width, mapping);
  words.insert(words.end(), columns.begin(), columns.end());
  return to_bytes(words);
}

TypedKernel<kernels::ResizeBilinearFloat> kernel_of(bool nearest, bool is_float, bool quads) {
  if (nearest) return quads ? kernels::kResizeNearestQuads : kernels::kResizeNearestElements;
  if (is_float) return quads ? kernels::kResizeBilinearFloatQuads : kernels::kResizeBilinearFloat;
  return quads ? kernels::kResizeBilinearIntegerQuads : kernels::kResizeBilinearInteger;
}

Status emit_resize(const EmitContext& context) {
  const OperandInfo& input = context.input(resize::kImage);
  const OperandInfo& output = context.output(resize::kOutput);
  const uint64_t elements = element_count(output);
  if (elements == 0) return {};
  NNVK_ASSIGN(const ResizeParameters p, context.decode(resize_parameters));
  const LayoutAxes axes = layout_axes(p.nchw);
  const uint32_t channels = p.nchw ? 1 : input.shape[axes.channels];  // planes count as batches
  const bool quads = channels % 4 == 0;
  const ResizeParams params{static_cast<uint>(quads ? elements / 4 : elements),
                            quads ? channels / 4 : channels,
                            input.shape[axes.height],
                            input.shape[axes.width],
                            output.shape[axes.height],
                            output.shape[axes.width]};
  const bool nearest = context.node.code == OperationCode::kResizeNearestNeighbor;
  const TensorId table = nearest ? context.dispatches.table("sources", nearest_table(params, p.mapping))
                                 : context.dispatches.table("taps", bilinear_table(params, p.mapping));
  const OperandType type = nearest ? raw_element_type(input.type) : input.type;
  const TensorId x = context.input_id(resize::kImage);
  auto dispatch = make_dispatch(context, kernel_of(nearest, is_float_tensor(input.type), quads), {.type = element_type(type)},
                                {.in_x = read_elements(x, type, quads),
                                 .positions = nearest ? read_scalars(table, OperandType::kTensorInt32) : read_bytes16(table),
                                 .out_y = write_words(context.output_id(resize::kOutput))},
                                params);
  dispatch.choice = quads ? "four channels of a pixel at once" : "channels in planes, or no multiple of four";
  return add_flat(context, std::move(dispatch), divide_up(elements, 4));
}

}  // namespace

constinit const EmitterRows resize_emitters = {
    {OperationCode::kResizeBilinear, nullptr, emit_resize},
    {OperationCode::kResizeNearestNeighbor, nullptr, emit_resize},
};

}  // namespace nnvk::vulkan
