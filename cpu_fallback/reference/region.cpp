// ROI_ALIGN and ROI_POOLING: every region of interest of a feature map is brought to a fixed size.
#include <algorithm>
#include <cmath>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/region_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/real_access.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace region;

// A region in cells of the feature map, not rounded.
struct Region {
  uint32_t batch = 0;
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// Region r. OP_FAILED for a batch that does not exist, corners outside the feature map or in the wrong order, and NaN.
Result<Region> region_at(const KernelContext& context, const RegionParameters& p, const RealInput& rois, size_t r) {
  const int32_t batch = context.input<int32_t>(kBatches)[r];
  if (batch < 0 || static_cast<uint32_t>(batch) >= p.batches) {
    return fail(Code::kOpFailed, "region " + std::to_string(r) + " is of image " + std::to_string(batch) + ", there are " +
                                     std::to_string(p.batches));
  }
  const Region region{static_cast<uint32_t>(batch), rois[4 * r] * p.scale_x, rois[4 * r + 1] * p.scale_y,
                      rois[4 * r + 2] * p.scale_x, rois[4 * r + 3] * p.scale_y};
  const bool inside = region.x1 >= 0.0F && region.y1 >= 0.0F && region.x2 <= static_cast<float>(p.width) &&
                      region.y2 <= static_cast<float>(p.height);
  const bool ordered = rois[4 * r] <= rois[4 * r + 2] && rois[4 * r + 1] <= rois[4 * r + 3];
  if (inside && ordered) return region;
  return fail(Code::kOpFailed, "region " + std::to_string(r) + " does not lie in the feature map or its corners are swapped");
}

// Calls fn(row, column, position of the cell's first channel) for every output cell of region r.
template <class Function>
Status for_each_cell(const RegionParameters& p, const ImageLayout& to, uint32_t r, Function&& fn) {
  for (uint32_t i = 0; i < p.out_height; ++i) {
    for (uint32_t j = 0; j < p.out_width; ++j) NNVK_TRY(fn(i, j, to.at(r, i, j)));
  }
  return {};
}

size_t channel_of(const ImageLayout& layout, ptrdiff_t pixel, uint32_t channel) {
  return static_cast<size_t>(pixel + static_cast<ptrdiff_t>(channel) * layout.channel_step);
}

// --- ROI_ALIGN --------------------------------------------------------------------------------------------------------------

// The neighbours of a sample along one axis and the weight of the second one.
struct Neighbours {
  uint32_t first = 0, second = 0;
  float weight = 0.0F;
};
Neighbours neighbours(float position, uint32_t size) {
  const float whole = std::floor(position);
  if (whole >= static_cast<float>(size - 1)) return {size - 1, size - 1, 0.0F};
  const auto first = static_cast<uint32_t>(whole);
  return {first, first + 1, position - whole};
}

// Sample points along one axis: of output cell i, point s lies at first + step * i + spacing / 2 + spacing * s.
struct SampleAxis {
  float first = 0, step = 0, spacing = 0;
  int32_t count = 1;

  SampleAxis(float begin, float end, uint32_t cells, int32_t samples) : first(begin) {
    step = std::max(end - begin, 1.0F) / static_cast<float>(cells);
    count = samples > 0 ? samples : static_cast<int32_t>(std::ceil(step));
    spacing = step / static_cast<float>(count);
  }
  float at(uint32_t i, int32_t s) const {
    return first + step * static_cast<float>(i) + spacing / 2.0F + spacing * static_cast<float>(s);
  }
};

// The sample grid of one region.
struct SampleGrid {
  uint32_t batch;
  SampleAxis y, x;
  int64_t points() const { return int64_t{y.count} * x.count; }
};
SampleGrid sample_grid(const Region& region, const RegionParameters& p) {
  return {region.batch, {region.y1, region.y2, p.out_height, p.samples_y}, {region.x1, region.x2, p.out_width, p.samples_x}};
}

// Calls fn(pixel, weight) for the four neighbours of every sample point of output cell (i, j).
template <class Function>
void for_each_neighbour(const SampleGrid& grid, const ImageLayout& from, uint32_t i, uint32_t j, Function&& fn) {
  for (int32_t b = 0; b < grid.y.count; ++b) {
    const Neighbours y = neighbours(grid.y.at(i, b), from.height);
    for (int32_t a = 0; a < grid.x.count; ++a) {
      const Neighbours x = neighbours(grid.x.at(j, a), from.width);
      fn(from.at(grid.batch, y.first, x.first), (1.0F - x.weight) * (1.0F - y.weight));
      fn(from.at(grid.batch, y.first, x.second), x.weight * (1.0F - y.weight));
      fn(from.at(grid.batch, y.second, x.first), (1.0F - x.weight) * y.weight);
      fn(from.at(grid.batch, y.second, x.second), x.weight * y.weight);
    }
  }
}

Status align_floats(KernelContext& context, const RegionParameters& p) {
  const ImageLayout from = image_layout(context.operation.shape(kImage), p.nchw);
  const ImageLayout to = image_layout(context.outputs[kOutput].info.shape, p.nchw);
  const RealInput rois(context, kRois);
  const FloatInput in(context, kImage);
  FloatOutput out(context, kOutput);
  std::vector<float> sums(p.channels);
  for (uint32_t r = 0; r < p.regions; ++r) {
    NNVK_ASSIGN(const Region region, region_at(context, p, rois, r));
    const SampleGrid grid = sample_grid(region, p);
    NNVK_TRY(for_each_cell(p, to, r, [&](uint32_t i, uint32_t j, ptrdiff_t target) -> Status {
      std::fill(sums.begin(), sums.end(), 0.0F);
      for_each_neighbour(grid, from, i, j, [&](ptrdiff_t pixel, float weight) {
        for (uint32_t c = 0; c < p.channels; ++c) sums[c] += weight * in[channel_of(from, pixel, c)];
      });
      for (uint32_t c = 0; c < p.channels; ++c) out[channel_of(to, target, c)] = sums[c] / static_cast<float>(grid.points());
      return {};
    }));
  }
  out.store();
  return {};
}

// Weights in 255ths; sums wrap around like int32.
template <class T>
Status align_integers(KernelContext& context, const RegionParameters& p) {
  const OperandInfo& in_info = context.operation.input(kImage);
  const OperandInfo& out_info = context.outputs[kOutput].info;
  const QuantizedBounds bounds{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  const ImageLayout from = image_layout(in_info.shape, p.nchw);
  const ImageLayout to = image_layout(out_info.shape, p.nchw);
  const RealInput rois(context, kRois);
  const auto in = context.input<T>(kImage);
  const auto out = context.output<T>(kOutput);
  std::vector<int32_t> sums(p.channels);
  for (uint32_t r = 0; r < p.regions; ++r) {
    NNVK_ASSIGN(const Region region, region_at(context, p, rois, r));
    const SampleGrid grid = sample_grid(region, p);
    const float real = region_multiplier(in_info, out_info) / static_cast<float>(grid.points());
    if (!(real < 1.0F)) {
      return fail(Code::kOpFailed,
                  "input scale / 255 / output scale / sample points must be below 1, is " + std::to_string(real));
    }
    const FixedPointMultiplier multiplier = decompose_multiplier(real);
    NNVK_TRY(for_each_cell(p, to, r, [&](uint32_t i, uint32_t j, ptrdiff_t target) -> Status {
      std::fill(sums.begin(), sums.end(), 0);
      for_each_neighbour(grid, from, i, j, [&](ptrdiff_t pixel, float weight) {
        const auto steps = static_cast<int32_t>(std::round(weight / kRegionWeightScale));
        for (uint32_t c = 0; c < p.channels; ++c) {
          sums[c] = wrapping_add(sums[c], steps * (in[channel_of(from, pixel, c)] - in_info.zero_point));
        }
      });
      for (uint32_t c = 0; c < p.channels; ++c) {
        out[channel_of(to, target, c)] =
            static_cast<T>(into_bounds(scale_fixed_point(sums[c], multiplier), out_info.zero_point, bounds));
      }
      return {};
    }));
  }
  return {};
}

Status roi_align(KernelContext& context) {
  NNVK_ASSIGN(const RegionParameters p, region_parameters(context.operation));
  const OperandType type = context.operation.input(kImage).type;
  if (!is_quant8_asymm(type)) return align_floats(context, p);
  return with_quant8_type(type, [&](auto tag) { return align_integers<decltype(tag)>(context, p); });
}

// --- ROI_POOLING ------------------------------------------------------------------------------------------------------------

// The cells [begin, end) of bin i among `bins` along one axis; empty where begin >= end.
struct Bin {
  uint32_t begin = 0, end = 0;
};
Bin bin_at(float first, float last, uint32_t bins, uint32_t i, uint32_t size) {
  const float begin = std::round(first);
  const float extent = std::max(std::round(last) - begin + 1.0F, 1.0F);
  const float step = extent / static_cast<float>(bins);
  const auto limited = [&](float v) { return static_cast<uint32_t>(std::min(std::max(v, 0.0F), static_cast<float>(size))); };
  return {limited(std::floor(step * static_cast<float>(i) + begin)),
          limited(std::ceil(step * static_cast<float>(i + 1) + begin))};
}

// The first element is taken whatever it is, later ones when greater; `empty` where a bin has no cells.
template <class In, class Out, class Value>
Status pool_regions(const KernelContext& context, const RegionParameters& p, const In& in, Out&& out, Value empty) {
  const ImageLayout from = image_layout(context.operation.shape(kImage), p.nchw);
  const ImageLayout to = image_layout(context.outputs[kOutput].info.shape, p.nchw);
  const RealInput rois(context, kRois);
  for (uint32_t r = 0; r < p.regions; ++r) {
    NNVK_ASSIGN(const Region region, region_at(context, p, rois, r));
    NNVK_TRY(for_each_cell(p, to, r, [&](uint32_t i, uint32_t j, ptrdiff_t target) -> Status {
      const Bin rows = bin_at(region.y1, region.y2, p.out_height, i, p.height);
      const Bin columns = bin_at(region.x1, region.x2, p.out_width, j, p.width);
      for (uint32_t c = 0; c < p.channels; ++c) {
        Value largest = empty;
        bool first = true;
        for (uint32_t y = rows.begin; y < rows.end; ++y) {
          for (uint32_t x = columns.begin; x < columns.end; ++x) {
            const Value value = in[channel_of(from, from.at(region.batch, y, x), c)];
            if (first || value > largest) largest = value;
            first = false;
          }
        }
        out[channel_of(to, target, c)] = largest;
      }
      return {};
    }));
  }
  return {};
}

Status roi_pooling(KernelContext& context) {
  NNVK_ASSIGN(const RegionParameters p, region_parameters(context.operation));
  const OperandInfo& in = context.operation.input(kImage);
  if (is_quant8_asymm(in.type)) {
    return with_quant8_type(in.type, [&](auto tag) -> Status {
      using T = decltype(tag);
      return pool_regions(context, p, context.input<T>(kImage), context.output<T>(kOutput), static_cast<T>(in.zero_point));
    });
  }
  const FloatInput values(context, kImage);
  FloatOutput out(context, kOutput);
  NNVK_TRY(pool_regions(context, p, values.values(), out.values(), 0.0F));
  out.store();
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kRoiAlign, roi_align},
    {OperationCode::kRoiPooling, roi_pooling},
};

}  // namespace

std::span<const KernelRow> region_kernels() { return kRows; }

}  // namespace nnvk::cpu
