// One block of uploaded constants and one of packed ones per build.
#include "vulkan/recording/constant_store.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t advance(uint64_t offset, uint64_t size) {
  return (offset + padded_size(size) + kStorageAlignment - 1) & ~(kStorageAlignment - 1);
}

}  // namespace

Status ConstantStore::add(std::span<const NewConstant> constants, Uploads& uploads) {
  uint64_t uploaded_size = 0;
  uint64_t packed_size = 0;
  std::vector<PlacedBytes> contents;
  std::vector<ConstantPlace> places;
  for (const NewConstant& constant : constants) {
    uint64_t& end = constant.filled_by_preparation ? packed_size : uploaded_size;
    places.push_back({VK_NULL_HANDLE, end});
    if (!constant.filled_by_preparation) contents.push_back({end, constant.contents()});
    end = advance(end, constant.size);
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
    places[i].buffer = constants[i].filled_by_preparation ? packed.handle() : uploaded.handle();
  }
  places_.insert(places_.end(), places.begin(), places.end());
  if (uploaded) blocks_.push_back(std::move(uploaded));
  if (packed) blocks_.push_back(std::move(packed));
  return {};
}

void ConstantStore::commit(std::span<const NewConstant> constants) {
  for (const NewConstant& constant : constants) index_.emplace(constant.key, constant.id);
}

}  // namespace nnvk::vulkan
