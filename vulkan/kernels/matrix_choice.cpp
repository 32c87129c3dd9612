// Chooses the kernels that use cooperative matrices.
#include "vulkan/kernels/matrix_choice.h"

#include <algorithm>

#include "matrix_convolution_kernels.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/kernel_choice.h"

namespace nnvk::vulkan {
namespace {

// Possible tiles of a work group. Larger ones read less per product but need more registers: 64 x 64 needs 32 sums per
// invocation.
struct Tile {
  uint32_t pixels;
  uint32_t channels;
};
constexpr Tile kTiles[] = {{64, 64}, {32, 64}, {64, 32}, {32, 32}, {16, 64}};

// Storage buffers of the kernel that adds a residual, if it reads no texels.
constexpr uint32_t kBuffersWithResidual = 5;

// Channels of a chunk.
constexpr uint32_t kHalfChunk = 8;
constexpr uint32_t kByteChunk = 16;

MatrixLayout layout_of(const FilterLayout& filter, uint32_t chunk_channels) {
  MatrixLayout layout;
  layout.chunk_channels = chunk_channels;
  layout.tap_chunks = static_cast<uint32_t>(divide_up(filter.in_channels, chunk_channels));
  layout.columns = static_cast<uint32_t>(4 * divide_up(filter.out_channels, 4));
  layout.group_chunks = uint64_t{filter.taps} * layout.tap_chunks;
  layout.weight_vectors = filter.groups * layout.group_chunks * layout.columns;
  return layout;
}

// Splits a tile of matrices among the subgroups of a work group, into blocks as square as possible. nullopt if there is no such
// split.
std::optional<MatrixChoice> blocks_of(const Tile& tile, const MatrixShape& shape, uint32_t subgroups) {
  if (tile.pixels % shape.rows != 0 || tile.channels % shape.columns != 0) return std::nullopt;
  const uint32_t rows = tile.pixels / shape.rows;
  const uint32_t columns = tile.channels / shape.columns;
  std::optional<MatrixChoice> best;
  for (uint32_t down = 1; down <= subgroups && down <= rows; ++down) {
    const uint32_t across = subgroups / down;
    if (down * across != subgroups || rows % down != 0 || across > columns || columns % across != 0) continue;
    const MatrixChoice choice{shape, rows / down, columns / across, down, across};
    const auto edge = [](const MatrixChoice& c) { return c.block_rows + c.block_columns; };
    if (!best || edge(choice) < edge(*best)) best = choice;
  }
  return best;
}

// Multiply-adds of a layer, including the padding of tiles and of the chunks that a work group takes together.
double padded_products(const MatrixChoice& choice, const FilterLayout& filter, const MatrixLayout& layout, uint64_t pixels) {
  const uint64_t depth = divide_up(layout.group_chunks, kMatrixChunks) * kMatrixChunks * layout.chunk_channels;
  return static_cast<double>(matrix_work_groups(choice, filter, pixels)) * choice.pixels() * choice.channels() *
         static_cast<double>(depth);
}

double real_products(const FilterLayout& filter, uint64_t pixels) {
  return static_cast<double>(pixels) * filter.groups * filter.out_channels * filter.taps * filter.in_channels;
}

// A tile's cost, only for comparisons. Reads are as important as multiply-adds: a tile that reads twice as much per multiply-add
// as the largest tile costs half as much again. Idle lanes multiply the cost.
double cost_of(const MatrixChoice& choice, const FilterLayout& filter, const MatrixLayout& layout, uint64_t pixels,
               const Machine& machine) {
  const double reads = (1.0 / choice.pixels() + 1.0 / choice.channels()) / (1.0 / kTiles[0].pixels + 1.0 / kTiles[0].channels);
  const auto invocations = static_cast<double>(matrix_work_groups(choice, filter, pixels) * kMatrixInvocations);
  const double idle = std::max(1.0, static_cast<double>(wanted_invocations(machine)) / invocations);
  return padded_products(choice, filter, layout, pixels) * (0.5 + 0.5 * reads) * idle;
}

}  // namespace

bool prefers_matrices(OperandType type, bool relaxed, const DeviceTraits& traits) {
  const KernelForms& forms = traits.forms;
  const bool floats = is_float_tensor(type);
  if (floats ? type != OperandType::kTensorFloat16 && !relaxed : element_size(type) != 1) return false;
  const auto kernel = floats ? kernels::kMatrixConvolutionFloat.id : kernels::kMatrixConvolutionInteger.id;
  if (!(floats ? traits.half_matrices : traits.byte_matrices).exists()) return false;
  if (!has_features_of(kernel_info(kernel), traits)) return false;
  if (traits.subgroup_size == 0 || kMatrixInvocations % traits.subgroup_size != 0) return false;
  if (forms.contains(KernelForm::kMatrix)) return true;
  if (traits.leaves_out(KernelForm::kMatrix) || forms.contains(floats ? KernelForm::kHalf : KernelForm::kDot)) return false;
  return !traits.is_software();
}

MatrixLayout half_matrix_layout(const FilterLayout& filter) { return layout_of(filter, kHalfChunk); }

MatrixLayout byte_matrix_layout(const FilterLayout& filter, uint32_t scale_channels) {
  MatrixLayout layout = layout_of(filter, kByteChunk);
  layout.corrections = uint64_t{filter.groups} * layout.columns / 4;
  layout.scale_vectors = static_cast<uint32_t>(2 * divide_up(scale_channels, 4));
  return layout;
}

uint64_t matrix_work_groups(const MatrixChoice& choice, const FilterLayout& filter, uint64_t pixels) {
  return divide_up(pixels, choice.pixels()) * filter.groups * divide_up(filter.out_channels, choice.channels());
}

uint32_t matrix_shared_bytes(const MatrixChoice& choice) {
  const uint32_t row = 16 * kMatrixChunks + 16;  // bytes of a row with its gap (matrix_convolution.comp)
  const uint32_t sums = choice.group_rows * choice.group_columns * choice.shape.rows * choice.shape.columns * 4;
  const uint32_t input_sums = choice.pixels() * 16;
  return (choice.pixels() + choice.channels()) * row + sums + input_sums;
}

std::optional<MatrixChoice> choose_matrices(const FilterLayout& filter, const MatrixLayout& layout, const MatrixWork& work,
                                            const MatrixShape& shape, const DeviceTraits& traits) {
  if (layout.group_chunks > kMostElementsPerInvocation) return std::nullopt;
  if (layout.packed_bytes() > traits.max_storage_range || work.image_bytes > traits.max_storage_range) return std::nullopt;
  if (work.residual && traits.max_storage_buffers < kBuffersWithResidual) return std::nullopt;
  std::optional<MatrixChoice> best;
  double least = 0;
  for (const Tile& tile : kTiles) {
    const auto choice = blocks_of(tile, shape, kMatrixInvocations / traits.subgroup_size);
    if (!choice || matrix_shared_bytes(*choice) > traits.max_shared_memory) continue;
    const double cost = cost_of(*choice, filter, layout, work.pixels, traits.machine);
    if (best && cost >= least) continue;
    best = choice;
    least = cost;
  }
  if (!best || traits.forms.contains(KernelForm::kMatrix)) return best;
  const bool bytes = layout.chunk_channels == kByteChunk;
  const double gain = matrix_gain(traits.machine) / (bytes && traits.fast_dot_products ? kDotProductGain : 1.0);
  if (padded_products(*best, filter, layout, work.pixels) > gain * real_products(filter, work.pixels)) return std::nullopt;
  return best;
}

std::string reason_of(const MatrixChoice& choice) {
  const MatrixShape& shape = choice.shape;
  return std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + " x " + std::to_string(shape.depth) +
         " matrices, " + std::to_string(choice.pixels()) + " pixels x " + std::to_string(choice.channels()) +
         " channels to a work group of " + std::to_string(choice.group_rows * choice.group_columns) + " subgroups";
}

}  // namespace nnvk::vulkan
