#include <algorithm>

#include "core/operations/parameters/region_parameters.h"
#include "region_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {
using namespace region;

// Returns sizes and steps, in units of `vector` channels.
RegionParams geometry(const RegionParameters& p, uint32_t vector) {
  RegionParams params{};
  params.batches = p.batches;
  params.in_height = p.height;
  params.in_width = p.width;
  params.channels = p.channels / vector;
  params.regions = p.regions;
  params.out_height = p.out_height;
  params.out_width = p.out_width;
  params.in_step_batch = p.height * p.width * params.channels;
  params.in_step_pixel = p.nchw ? 1 : params.channels;
  params.in_step_row = p.width * params.in_step_pixel;
  params.in_step_channel = p.nchw ? p.height * p.width : 1;
  params.nchw = p.nchw ? 1 : 0;
  params.samples_y = p.samples_y;
  params.samples_x = p.samples_x;
  params.scale_y = p.scale_y;
  params.scale_x = p.scale_x;
  return params;
}

// The most loop iterations of an invocation in one dispatch (see bounded_work.h), and its iterations per row and per sample.
constexpr uint64_t kMostLoops = 45000;
constexpr uint64_t kLoopsPerRow = 3;
constexpr uint64_t kLoopsPerSample = 6;
constexpr uint32_t kMostDispatches = 1024;

// Returns the most sample points of a cell along one axis: a region is no larger than the feature map.
uint32_t most_samples(uint32_t size, uint32_t cells, int32_t samples) {
  return samples > 0 ? static_cast<uint32_t>(samples) : static_cast<uint32_t>(divide_up(size, cells));
}
// Returns the most cells of a bin along one axis: a region covers size + 1 cells, and a bin may share a cell at both ends.
uint32_t most_cells(uint32_t size, uint32_t bins) {
  return static_cast<uint32_t>(std::min<uint64_t>(size, divide_up(uint64_t{size} + 1, bins) + 1));
}

Status emit_region(const EmitContext& context) {
  NNVK_ASSIGN(const RegionParameters p, context.decode(region_parameters));
  const OperandInfo& input = context.input(kImage);
  const OperandInfo& output = context.output(kOutput);
  const uint64_t elements = element_count(output);
  if (elements == 0) return {};
  const bool integer = !is_float_tensor(output.type);
  const bool four_channels = !p.nchw && p.channels % 4 == 0;
  RegionParams params = geometry(p, four_channels ? 4 : 1);
  params.count = static_cast<uint>(divide_up(elements, 4));
  if (integer) {
    params.multiplier = region_multiplier(input, output);
    params.in_zero_point = input.zero_point;
    params.out_zero_point = output.zero_point;
  }

  const uint32_t most_rows = p.align ? most_samples(p.height, p.out_height, p.samples_y) : most_cells(p.height, p.out_height);
  const uint32_t most_columns = p.align ? most_samples(p.width, p.out_width, p.samples_x) : most_cells(p.width, p.out_width);
  const uint64_t loops_per_row =
      (four_channels ? 1 : 4) * (kLoopsPerRow + uint64_t{most_columns} * (p.align ? kLoopsPerSample : 1));
  const auto rows_at_once = static_cast<uint32_t>(kMostLoops / loops_per_row);
  if (rows_at_once == 0 || most_rows / rows_at_once >= kMostDispatches) {
    return beyond_device(std::to_string(most_rows) + " x " + std::to_string(most_columns) +
                         " samples or cells of the feature map per output cell take this device too long");
  }

  const TensorId status = context.dispatches.status(kRegionStatusWords);
  const TensorId partial = context.dispatches.scratch(most_rows > rows_at_once ? uint64_t{params.count} * 16 : 16);
  const TensorId x = context.input_id(kImage);
  auto dispatch = make_dispatch(context, integer ? kernels::kRegionInteger : kernels::kRegionFloat,
                                {.type = element_type(output.type),
                                 .operation = p.align ? kRegionAlign : kRegionPool,
                                 .four_channels = four_channels,
                                 .region_type = element_type(context.input(kRois).type)},
                                {.in_x = read_elements(x, output.type, four_channels),
                                 .rois = read_words(context.input_id(kRois)),
                                 .batch_index = read_words(context.input_id(kBatches)),
                                 .out_y = write_words(context.output_id(kOutput)),
                                 .status = read_write(status),
                                 .partial = read_write(partial)});
  NNVK_TRY(set_flat_groups(context, params.count, dispatch));
  for (uint32_t row = 0; row < most_rows; row += rows_at_once) {
    const bool last = most_rows - row <= rows_at_once;
    params.step_begin = row;
    params.step_end = row + rows_at_once;
    params.step_flags = (row == 0 ? kRegionFirst : 0) | (last ? kRegionLast : 0);
    dispatch.set_params(params);
    context.dispatches.add(dispatch);
    if (last) break;
  }
  context.dispatches.fail_if_set(
      status, kRegionStatusMisplaced,
      "a region (input 1) does not lie in the feature map, has swapped corners, or is of an image (input 2) "
      "that does not exist");
  context.dispatches.fail_if_set(status, kRegionStatusMultiplier,
                                 "input scale / 255 / output scale / sample points must be below 1");
  return {};
}

}  // namespace

constinit const EmitterRows region_emitters = {
    {OperationCode::kRoiAlign, nullptr, emit_region},
    {OperationCode::kRoiPooling, nullptr, emit_region},
};

}  // namespace nnvk::vulkan
