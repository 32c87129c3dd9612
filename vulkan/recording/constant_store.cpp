#include "vulkan/recording/constant_store.h"

namespace nnvk::vulkan {

Status ConstantStore::add(std::span<const NewConstant> constants, Uploads& uploads) {
  uint64_t uploaded_size = 0;
  uint64_t packed_size = 0;
  std::vector<PlacedBytes> contents;
  std::vector<ConstantPlace> places;
  for (const NewConstant& constant : constants) {
    uint64_t& end = constant.is_packed() ? packed_size : uploaded_size;
    places.push_back({VK_NULL_HANDLE, end});
    if (!constant.is_packed()) contents.push_back({end, constant.contents()});
    end = offset_after(end, constant.size);
  }
  Buffer uploaded;
  Buffer packed;
  if (uploaded_size > 0) {
    NNVK_ASSIGN(uploaded, uploads.make(uploaded_size, contents, *activity_, "constants"));
  }
  if (packed_size > 0) {
    NNVK_ASSIGN(packed, Buffer::create(context_, packed_size, MemoryUse::kDevice, *activity_, "packed weights"));
  }
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].buffer = constants[i].is_packed() ? packed.handle() : uploaded.handle();
  }
  places_.insert(places_.end(), places.begin(), places.end());
  for (const NewConstant& constant : constants) sizes_.push_back(constant.size);
  if (uploaded) blocks_.push_back(std::move(uploaded));
  if (packed) blocks_.push_back(std::move(packed));
  return {};
}

void ConstantStore::commit(std::span<const NewConstant> constants) {
  for (const NewConstant& constant : constants) {
    index_.emplace(constant.key, constant.id);
    if (constant.is_packed()) activity_->weights_packed.fetch_add(1, std::memory_order_relaxed);
  }
}

Status ConstantStore::restore(std::span<const KeptWeights> weights, Uploads& uploads) {
  if (weights.empty()) return {};
  uint64_t size = 0;
  std::vector<PlacedBytes> contents;
  for (const KeptWeights& packed : weights) {
    contents.push_back({size, packed.bytes});
    size = offset_after(size, packed.bytes.size());
  }
  NNVK_ASSIGN(Buffer block, uploads.make(size, contents, *activity_, "packed weights"));
  for (size_t i = 0; i < weights.size(); ++i) {
    index_.emplace(ConstantKey{ConstantKey::Kind::kPacked, weights[i].node, weights[i].key, {}}, next_id());
    places_.push_back({block.handle(), contents[i].offset});
    sizes_.push_back(weights[i].bytes.size());
  }
  blocks_.push_back(std::move(block));
  activity_->weights_restored.fetch_add(weights.size(), std::memory_order_relaxed);
  return {};
}

std::vector<StoredWeights> ConstantStore::packed() const {
  std::vector<StoredWeights> weights;
  for (const auto& [key, id] : index_) {
    if (key.kind == ConstantKey::Kind::kPacked) weights.push_back({key.index, key.key, sizes_[id], places_[id]});
  }
  return weights;
}

Status ConstantStore::check(const DispatchProgram& program) const {
  for (const ProgramDispatch& dispatch : program.dispatches) {
    for (const Location& location : dispatch.locations) {
      if (location.region != Region::kConstant || location.offset + location.size <= sizes_[location.index]) continue;
      return fail(Code::kOpFailed, "a kernel reads " + std::to_string(location.size) + " bytes of a constant that has " +
                                       std::to_string(sizes_[location.index]));
    }
  }
  return {};
}

}  // namespace nnvk::vulkan
