#include "vulkan/recording/io_wiring.h"

#include <algorithm>
#include <utility>

#include "vulkan/memory/io_buffer.h"

namespace nnvk::vulkan {
namespace {

// Returns how many bytes the device copies for an input or output outside the slot. The size of a data-dependent output is an
// upper bound, which may exceed the room at its place.
uint64_t copied_size(const IoPlace& place) {
  return std::min(place.size, place.buffer_size - std::min(place.offset, place.buffer_size));
}

// Images may share memory, and even reading one may change its layout, which is a write. So runs with images never overlap.
constexpr MemoryAccess kAnyImage{UINT64_MAX, 0, UINT64_MAX, true};

}  // namespace

IoWiring::IoWiring(const SlotBlueprint& blueprint, const SlotMemory& memory, std::span<const IoPlace> places)
    : blueprint_(blueprint), memory_(memory), places_(places.begin(), places.end()) {
  for (IoPlace& place : places_) {
    place.memory = nullptr;
    place.image = nullptr;
  }
  bytes_copied_ = count_copied_bytes();
  accesses_ = find_accesses(places);
}

Result<std::unique_ptr<IoWiring>> IoWiring::create(const SlotBlueprint& blueprint, const SlotMemory& memory,
                                                   std::span<const IoPlace> places, VkCommandBufferUsageFlags usage) {
  std::unique_ptr<IoWiring> wiring(new IoWiring(blueprint, memory, places));
  wiring->usage_ = usage;
  NNVK_ASSIGN(wiring->descriptors_,
              Descriptors::create(blueprint.context, blueprint.runnable(), dispatches_that_touch_io(blueprint.program, true),
                                  {memory.regions, blueprint.constants, places}, *blueprint.activity));
  NNVK_TRY(wiring->make_image_transfers(places));
  NNVK_ASSIGN(wiring->pool_, CommandPool::create(blueprint.context));
  return wiring;
}

Status IoWiring::make_image_transfers(std::span<const IoPlace> places) {
  images_.resize(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].image == nullptr) continue;
    NNVK_ASSIGN(images_[i],
                places[i].image->make_transfer({memory_.regions.io, blueprint_.program.io_tensor(i).offset, places[i].size},
                                               *blueprint_.activity));
  }
  return {};
}

bool IoWiring::is_for(std::span<const IoPlace> places) const {
  return std::ranges::equal(places, places_, &IoPlace::is_wired_as);
}

// Returns the accesses of a run. The memory of a slot counts as one access, because only the slot's own runs use it.
std::vector<MemoryAccess> IoWiring::find_accesses(std::span<const IoPlace> places) const {
  const DispatchProgram& program = blueprint_.program;
  std::vector<MemoryAccess> accesses;
  bool uses_slot = program.arena_size > 0 || program.input_end > program.output_begin;
  for (size_t i = 0; i < places_.size(); ++i) {
    const IoPlace& place = places_[i];
    if (!program.io_tensor(i).used) continue;
    uses_slot = uses_slot || place.access != IoAccess::kDirect;
    if (place.access == IoAccess::kHostCopy) continue;
    if (places[i].image != nullptr) {
      accesses.push_back(kAnyImage);
      continue;
    }
    accesses.push_back({place.buffer, place.offset, place.offset + padded_size(place.size), i >= program.inputs.size()});
  }
  if (uses_slot) accesses.push_back({memory_.slot, 0, UINT64_MAX, true, true});
  return accesses;
}

// Returns the parts of the io region that commands copy from the staging buffer (`to_io`) or to it; the host accesses only that
// buffer.
std::vector<VkBufferCopy> IoWiring::staged_regions(bool to_io) const {
  const DispatchProgram& program = blueprint_.program;
  std::vector<VkBufferCopy> regions;
  for (size_t i = 0; i < places_.size(); ++i) {
    const IoTensor& tensor = program.io_tensor(i);
    if (places_[i].access != IoAccess::kHostCopy || (i < program.inputs.size()) != to_io || !tensor.used) continue;
    regions.push_back({tensor.offset, tensor.offset, padded_size(tensor.size)});
  }
  const uint64_t status_size = program.input_end - program.output_begin;
  if (status_size > 0) regions.push_back({program.output_begin, program.output_begin, status_size});
  return regions;
}

// Records the copies between staging memory, other memory and the io region.
void IoWiring::record_transfer(VkCommandBuffer commands, std::span<const IoPlace> places, bool to_io) const {
  const VolkDeviceTable& vk = blueprint_.context->vk();
  const VkBuffer io = memory_.regions.io;
  bool copies = false;
  bool has_images = false;
  if (memory_.staging != VK_NULL_HANDLE) {
    const std::vector<VkBufferCopy> regions = staged_regions(to_io);
    copies = !regions.empty();
    if (copies) {
      vk.vkCmdCopyBuffer(commands, to_io ? memory_.staging : io, to_io ? io : memory_.staging,
                         static_cast<uint32_t>(regions.size()), regions.data());
    }
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const IoPlace& place = places[i];
    if (place.access != IoAccess::kDeviceCopy || (i < blueprint_.program.inputs.size()) != to_io) continue;
    const uint64_t size = copied_size(place);
    if (size == 0) continue;
    const uint64_t in_io = blueprint_.program.io_tensor(i).offset;
    copies = true;
    if (images_[i] != nullptr) {
      images_[i]->record(commands);
      has_images = true;
      continue;
    }
    const VkBufferCopy region{to_io ? place.offset : in_io, to_io ? in_io : place.offset, size};
    const VkBuffer foreign = place.memory->handle();
    vk.vkCmdCopyBuffer(commands, to_io ? foreign : io, to_io ? io : foreign, 1, &region);
  }
  if (!copies) return;
  const Barrier& before_dispatches = has_images ? kFromImagesToDispatches : kFromCopiesToDispatches;
  record_barrier(*blueprint_.context, commands, to_io ? before_dispatches : kFromCopiesToHost);
}

Result<std::span<const VkCommandBuffer>> IoWiring::commands(std::span<const VkDescriptorSet> shared_sets,
                                                            std::span<const IoPlace> places, std::span<const size_t> cuts,
                                                            const Queries& queries) {
  RecordedRun& known = recorded_[static_cast<size_t>(queries.measure)];
  if (!known.submissions.empty() && std::ranges::equal(known.cuts, cuts)) return known.submissions;
  const Context& context = *blueprint_.context;
  std::vector<VkDescriptorSet> sets(shared_sets.begin(), shared_sets.end());
  descriptors_->fill(sets);
  RecordedRun made{{cuts.begin(), cuts.end()}, {}};
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const bool is_last = i == cuts.size();
    const DispatchRange range{i == 0 ? 0 : cuts[i - 1], is_last ? blueprint_.program.dispatches.size() : cuts[i], i, queries};
    NNVK_ASSIGN(const VkCommandBuffer recording, pool_->begin(usage_));
    if (i == 0) {
      const bool uses_foreign_memory =
          std::ranges::any_of(places_, [](const IoPlace& place) { return place.access != IoAccess::kHostCopy; });
      if (uses_foreign_memory) record_barrier(context, recording, kSeesFinishedWork);
      record_transfer(recording, places, true);
    }
    record_dispatches(context, recording, blueprint_.runnable(), sets, range);
    if (is_last) {
      record_barrier(context, recording, kFromDispatchesToResults);
      record_transfer(recording, places, false);
    }
    NNVK_TRY(pool_->end(recording, *blueprint_.activity));
    made.submissions.push_back(recording);
  }
  known = std::move(made);
  return known.submissions;
}

uint64_t IoWiring::count_copied_bytes() const {
  uint64_t bytes = 0;
  for (const bool to_io : {true, false}) {
    if (memory_.staging == VK_NULL_HANDLE) break;
    for (const VkBufferCopy& region : staged_regions(to_io)) bytes += region.size;
  }
  for (const IoPlace& place : places_) bytes += place.access == IoAccess::kDeviceCopy ? copied_size(place) : 0;
  return bytes;
}

}  // namespace nnvk::vulkan
