#include "vulkan/kernels/gathered_inputs.h"

#include <algorithm>
#include <utility>

#include "gathered_kernels.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kUnit = 16;  // tensors are padded to whole units

bool is_read(const BindingInfo& binding) { return binding.kind == BindingKind::kInput || binding.kind == BindingKind::kTable; }

// An input and its position in the buffer, in units.
struct Piece {
  TensorBinding binding = {};
  uint64_t size = 0;
  uint64_t at = 0;
};

std::vector<Piece> place_inputs(const KernelInfo& kernel, std::span<const TensorBinding> bindings,
                                std::span<const BoundBytes> bound) {
  std::vector<Piece> pieces;
  uint64_t end = kGatheredHeaderWords * sizeof(uint32_t) / kUnit;
  for (size_t b = 0; b < bound.size(); ++b) {
    if (!is_read(kernel.bindings[b])) continue;
    pieces.push_back({.size = divide_up(bound[b].bytes, kUnit), .at = end});
    if (!bindings.empty()) pieces.back().binding = bindings[b];
    end += pieces.back().size;
  }
  return pieces;
}

Result<Dispatch> copy_pieces(std::span<const Piece> pieces, uint32_t first, TensorId gathered, const DeviceTraits& traits) {
  GatherInputsParams params{.count = 0, .inputs = static_cast<uint>(pieces.size()), .first = first, .size = {}, .at = {}};
  std::vector<TensorBinding> bindings;
  for (size_t i = 0; i < kGatheredAtOnce; ++i) {
    // Every binding needs a tensor, so bindings beyond the last piece repeat it. The kernel does not read them.
    const Piece& piece = pieces[std::min(i, pieces.size() - 1)];
    bindings.push_back({piece.binding.tensor, ViewFormat::kWords, Access::kRead});
    if (i >= pieces.size()) continue;
    params.size[i] = static_cast<uint>(piece.size);
    params.at[i] = static_cast<uint>(piece.at);
    params.count += params.size[i];
  }
  DispatchOf<GatherInputsParams> copy;
  copy.kernel = kernels::kGatherInputs.id;
  copy.bindings = std::move(bindings);
  copy.bindings.push_back({gathered, ViewFormat::kWords, Access::kReadWrite});
  copy.set_params(params);
  NNVK_ASSIGN(copy.groups, flat_groups(params.count, kernel_info(copy.kernel).local_size[0], traits));
  return copy;
}

}  // namespace

uint64_t gathered_bytes(const KernelInfo& kernel, std::span<const BoundBytes> bound) {
  const std::vector<Piece> pieces = place_inputs(kernel, {}, bound);
  return pieces.empty() ? kGatheredHeaderWords * sizeof(uint32_t) : (pieces.back().at + pieces.back().size) * kUnit;
}

Result<std::vector<Dispatch>> gather_inputs(const Dispatch& dispatch, std::span<const BoundBytes> bound, TensorId gathered,
                                            const DeviceTraits& traits) {
  const KernelInfo& kernel = kernel_info(dispatch.kernel);
  std::vector<BoundBytes> bound_then = {{ViewFormat::kWords, gathered_bytes(kernel, bound)}};
  Dispatch last = dispatch;
  last.kernel = *kernel.gathered;
  last.bindings = {{gathered, ViewFormat::kWords, Access::kRead}};
  for (size_t b = 0; b < bound.size(); ++b) {
    if (is_read(kernel.bindings[b])) continue;
    last.bindings.push_back(dispatch.bindings[b]);
    bound_then.push_back(bound[b]);
  }
  if (const auto variant = choose_variant(kernel_info(last.kernel), bound_then, traits); !variant) return fail(variant.error());

  const std::vector<Piece> pieces = place_inputs(kernel, dispatch.bindings, bound);
  std::vector<Dispatch> made;
  for (size_t first = 0; first < pieces.size(); first += kGatheredAtOnce) {
    const size_t count = std::min<size_t>(kGatheredAtOnce, pieces.size() - first);
    NNVK_ASSIGN(Dispatch copy,
                copy_pieces(std::span(pieces).subspan(first, count), static_cast<uint32_t>(first), gathered, traits));
    copy.label = dispatch.label + " gather inputs";
    made.push_back(std::move(copy));
  }
  made.push_back(std::move(last));
  return made;
}

}  // namespace nnvk::vulkan
