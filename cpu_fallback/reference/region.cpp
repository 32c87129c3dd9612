// ROI_ALIGN and ROI_POOLING: resize every region of interest of a feature map to a fixed size.
#include <algorithm>
#include <cmath>

#include "core/base/fixed_point.h"
#include "core/base/shortest_text.h"
#include "core/operations/parameters/region_parameters.h"
#include "cpu_fallback/reference/boxes.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace region;

// A region in cells of the feature map, not rounded.
struct Region {
  uint32_t batch = 0;
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// Returns region r. OP_FAILED for a batch that does not exist, corners outside the feature map or in the wrong order, and NaN.
Result<Region> region_at(const KernelContext& context, const RegionParameters& p, std::span<const float> rois, size_t r) {
  NNVK_ASSIGN(const uint32_t batch, image_of_box(context.input<int32_t>(kBatches), r, p.batches));
  const Box box = box_at(rois, r);
  const Region region{batch, box.x1 * p.scale_x, box.y1 * p.scale_y, box.x2 * p.scale_x, box.y2 * p.scale_y};
  const bool inside = region.x1 >= 0.0F && region.y1 >= 0.0F && region.x2 <= static_cast<float>(p.width) &&
                      region.y2 <= static_cast<float>(p.height);
  if (inside && well_formed(box)) return region;
  return fail(Code::kOpFailed, "region " + std::to_string(r) + " does not lie in the feature map or its corners are swapped");
}

// Returns the regions of an operation, or the error of the first one that is wrong.
Result<std::vector<Region>> all_regions(const KernelContext& context, const RegionParameters& p) {
  const FloatInput rois(context, kRois);
  std::vector<Region> regions;
  for (uint32_t r = 0; r < p.regions; ++r) {
    NNVK_ASSIGN(const Region region, region_at(context, p, rois.values(), r));
    regions.push_back(region);
  }
  return regions;
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
  DeadlineWatch watch;
  for (int32_t b = 0; b < grid.y.count; ++b) {
    watch.look();
    const Neighbours y = neighbours(grid.y.at(i, b), from.height);
    for (int32_t a = 0; a < grid.x.count; ++a) {
      const Neighbours x = neighbours(grid.x.at(j, a), from.width);
      fn(from.pixel(grid.batch, y.first, x.first), (1.0F - x.weight) * (1.0F - y.weight));
      fn(from.pixel(grid.batch, y.first, x.second), x.weight * (1.0F - y.weight));
      fn(from.pixel(grid.batch, y.second, x.first), (1.0F - x.weight) * y.weight);
      fn(from.pixel(grid.batch, y.second, x.second), x.weight * y.weight);
    }
  }
}

Status align_floats(const KernelContext& context, const RegionParameters& p, const std::vector<SampleGrid>& grids,
                    std::span<const float> in, std::span<float> out) {
  const ImageLayout from = image_layout(context.operation.shape(kImage), p.nchw);
  const ImageLayout to = image_layout(context.outputs[kOutput].info.shape, p.nchw);
  std::vector<float> sums(p.channels);
  for_each_pixel(to, [&](uint32_t r, uint32_t i, uint32_t j) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    for_each_neighbour(grids[r], from, i, j, [&](int64_t pixel, float weight) {
      for (uint32_t c = 0; c < p.channels; ++c) sums[c] += weight * in[from.element(pixel, c)];
    });
    const auto points = static_cast<float>(grids[r].points());
    for (uint32_t c = 0; c < p.channels; ++c) out[to.element(to.pixel(r, i, j), c)] = sums[c] / points;
  });
  return {};
}

// Adds up with weights in 255ths; sums wrap around like int32.
template <class T>
Status align_integers(const KernelContext& context, const RegionParameters& p, const std::vector<SampleGrid>& grids,
                      std::span<const T> in, std::span<T> out) {
  const OperandInfo& in_info = context.operation.input(kImage);
  const OperandInfo& out_info = context.outputs[kOutput].info;
  std::vector<FixedPointMultiplier> multipliers;
  for (const SampleGrid& grid : grids) {
    const float real = region_multiplier(in_info, out_info) / static_cast<float>(grid.points());
    if (!(real < 1.0F)) {
      return fail(Code::kOpFailed, "input scale / 255 / output scale / sample points must be below 1, is " + shortest_text(real));
    }
    multipliers.push_back(decompose_multiplier(real));
  }
  const QuantizedBounds bounds{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  const ImageLayout from = image_layout(in_info.shape, p.nchw);
  const ImageLayout to = image_layout(out_info.shape, p.nchw);
  std::vector<int32_t> sums(p.channels);
  for_each_pixel(to, [&](uint32_t r, uint32_t i, uint32_t j) {
    std::fill(sums.begin(), sums.end(), 0);
    for_each_neighbour(grids[r], from, i, j, [&](int64_t pixel, float weight) {
      const auto steps = static_cast<int32_t>(std::round(weight / kRegionWeightScale));
      for (uint32_t c = 0; c < p.channels; ++c) {
        sums[c] = wrapping_add(sums[c], steps * (in[from.element(pixel, c)] - in_info.zero_point));
      }
    });
    for (uint32_t c = 0; c < p.channels; ++c) {
      const int32_t scaled = scale_fixed_point(sums[c], multipliers[r]);
      out[to.element(to.pixel(r, i, j), c)] = static_cast<T>(into_bounds(scaled, out_info.zero_point, bounds));
    }
  });
  return {};
}

Status roi_align(KernelContext& context) {
  NNVK_ASSIGN(const RegionParameters p, region_parameters(context.operation));
  NNVK_ASSIGN(const std::vector<Region> regions, all_regions(context, p));
  std::vector<SampleGrid> grids;
  for (const Region& region : regions) grids.push_back(sample_grid(region, p));
  return with_floats_or_bytes(context, [&](auto tag, auto in, auto out) {
    if constexpr (std::is_same_v<decltype(tag), float>) {
      return align_floats(context, p, grids, in, out);
    } else {
      return align_integers<decltype(tag)>(context, p, grids, in, out);
    }
  });
}

// --- ROI_POOLING ------------------------------------------------------------------------------------------------------------

// The cells [begin, end) of bin i among `bins` along one axis; empty if begin >= end.
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

// Finds the maximum of each bin: takes the first element unconditionally, later ones if greater. A bin without cells gives the
// real number 0.
Status roi_pooling(KernelContext& context) {
  NNVK_ASSIGN(const RegionParameters p, region_parameters(context.operation));
  NNVK_ASSIGN(const std::vector<Region> regions, all_regions(context, p));
  const OperandInfo& image = context.operation.input(kImage);
  const ImageLayout from = image_layout(image.shape, p.nchw);
  const ImageLayout to = image_layout(context.outputs[kOutput].info.shape, p.nchw);
  return with_floats_or_bytes(context, [&](auto tag, auto in, auto out) -> Status {
    using T = decltype(tag);
    DeadlineWatch watch;
    for_each_pixel(to, [&](uint32_t r, uint32_t i, uint32_t j) {
      const Region& region = regions[r];
      const Bin rows = bin_at(region.y1, region.y2, p.out_height, i, p.height);
      const Bin columns = bin_at(region.x1, region.x2, p.out_width, j, p.width);
      for (uint32_t c = 0; c < p.channels; ++c) {
        auto largest = static_cast<T>(image.zero_point);
        bool first = true;
        for (uint32_t y = rows.begin; y < rows.end; ++y) {
          watch.look();
          for (uint32_t x = columns.begin; x < columns.end; ++x) {
            const T value = in[from.element(from.pixel(region.batch, y, x), c)];
            if (first || value > largest) largest = value;
            first = false;
          }
        }
        out[to.element(to.pixel(r, i, j), c)] = largest;
      }
    });
    return {};
  });
}

constexpr KernelRow kRows[] = {
    {OperationCode::kRoiAlign, roi_align},
    {OperationCode::kRoiPooling, roi_pooling},
};

}  // namespace

std::span<const KernelRow> region_kernels() { return kRows; }

}  // namespace nnvk::cpu
