// Descriptors once, commands once per measure.
#include "vulkan/recording/io_wiring.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nnvk::vulkan {
namespace {

const IoTensor& tensor_at(const DispatchProgram& program, size_t place) {
  return place < program.inputs.size() ? program.inputs[place] : program.outputs[place - program.inputs.size()];
}

// Bytes that the device copies for an input or output that lies elsewhere. The size of an output that the data decides is an
// upper bound, which may be more than its place has.
uint64_t copied_size(const IoTensor& tensor, uint64_t offset, uint64_t buffer_size) {
  return std::min(tensor.size, buffer_size - std::min(offset, buffer_size));
}

}  // namespace

IoWiring::IoWiring(std::shared_ptr<Context> context, std::span<const IoPlace> places) : context_(std::move(context)) {
  std::transform(places.begin(), places.end(), std::back_inserter(places_), identity);
}

IoWiring::Place IoWiring::identity(const IoPlace& place) {
  if (place.buffer == nullptr) return {};
  return {place.buffer->id(), place.offset, place.direct};
}

bool IoWiring::is_for(std::span<const IoPlace> places) const {
  return std::equal(places.begin(), places.end(), places_.begin(), places_.end(),
                    [](const IoPlace& a, const Place& b) { return identity(a) == b; });
}

bool IoWiring::uses_foreign_memory() const {
  return std::any_of(places_.begin(), places_.end(), [](const Place& place) { return place.buffer != 0; });
}

Status IoWiring::connect(const DispatchProgram& program, std::span<const Pipeline* const> pipelines, const SlotMemory& memory,
                         std::span<const ConstantPlace> constants, std::span<const IoPlace> places, Activity& activity) {
  NNVK_ASSIGN(descriptors_, Descriptors::create(context_, program, pipelines, dispatches_that_touch_io(program, true),
                                                {memory.regions, constants, places}, activity));
  NNVK_ASSIGN(pool_, CommandPool::create(context_));
  bytes_copied_ = count_copied_bytes(program, memory, places);
  return {};
}

// Parts of the io region that the host writes or reads through the staging buffer.
std::vector<VkBufferCopy> IoWiring::staged_regions(const DispatchProgram& program, bool to_io) const {
  std::vector<VkBufferCopy> regions;
  for (size_t i = 0; i < places_.size(); ++i) {
    const IoTensor& tensor = tensor_at(program, i);
    if (places_[i].buffer != 0 || (i < program.inputs.size()) != to_io || !tensor.used) continue;
    regions.push_back({tensor.offset, tensor.offset, padded_size(tensor.size)});
  }
  const uint64_t status_size = program.input_end - program.output_begin;
  if (status_size > 0) regions.push_back({program.output_begin, program.output_begin, status_size});
  return regions;
}

// Between staging memory, memory of others and the io region.
void IoWiring::record_transfer(VkCommandBuffer commands, const DispatchProgram& program, const SlotMemory& memory,
                               std::span<const IoPlace> places, bool to_io) const {
  const VolkDeviceTable& vk = context_->vk();
  const VkBuffer io = memory.regions.io;
  bool copies = false;
  if (memory.staging != VK_NULL_HANDLE) {
    const std::vector<VkBufferCopy> regions = staged_regions(program, to_io);
    copies = !regions.empty();
    if (copies) {
      vk.vkCmdCopyBuffer(commands, to_io ? memory.staging : io, to_io ? io : memory.staging,
                         static_cast<uint32_t>(regions.size()), regions.data());
    }
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const IoTensor& tensor = tensor_at(program, i);
    if (places[i].buffer == nullptr || places[i].direct || (i < program.inputs.size()) != to_io) continue;
    const uint64_t size = copied_size(tensor, places[i].offset, places[i].buffer->size());
    if (size == 0) continue;
    const VkBufferCopy region{to_io ? places[i].offset : tensor.offset, to_io ? tensor.offset : places[i].offset, size};
    const VkBuffer foreign = places[i].buffer->handle();
    vk.vkCmdCopyBuffer(commands, to_io ? foreign : io, to_io ? io : foreign, 1, &region);
    copies = true;
  }
  if (copies) record_barrier(*context_, commands, to_io ? kFromCopiesToDispatches : kFromCopiesToHost);
}

Result<std::span<const VkCommandBuffer>> IoWiring::commands(const DispatchProgram& program,
                                                            std::span<const Pipeline* const> pipelines, const SlotMemory& memory,
                                                            std::span<const VkDescriptorSet> shared_sets,
                                                            std::span<const IoPlace> places, std::span<const size_t> cuts,
                                                            const Queries& queries, Activity& activity) {
  RecordedRun& known = recorded_[static_cast<size_t>(queries.measure)];
  if (!known.submissions.empty() && std::ranges::equal(known.cuts, cuts)) return known.submissions;
  std::vector<VkDescriptorSet> sets(shared_sets.begin(), shared_sets.end());
  descriptors_->fill(sets);
  RecordedRun made{{cuts.begin(), cuts.end()}, {}};
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const bool is_last = i == cuts.size();
    const DispatchRange range{i == 0 ? 0 : cuts[i - 1], is_last ? program.dispatches.size() : cuts[i], i};
    NNVK_ASSIGN(const VkCommandBuffer recording, pool_->begin());
    if (i == 0) {
      if (uses_foreign_memory()) record_barrier(*context_, recording, kAfterEarlierSubmissions);
      record_transfer(recording, program, memory, places, true);
    }
    record_dispatches(*context_, recording, program, range, pipelines, sets, queries.measure, queries.pool);
    if (is_last) {
      record_barrier(*context_, recording, kFromDispatchesToResults);
      record_transfer(recording, program, memory, places, false);
    }
    NNVK_TRY(pool_->end(recording, activity));
    made.submissions.push_back(recording);
  }
  known = std::move(made);
  return known.submissions;
}

uint64_t IoWiring::count_copied_bytes(const DispatchProgram& program, const SlotMemory& memory,
                                      std::span<const IoPlace> places) const {
  uint64_t bytes = 0;
  for (const bool to_io : {true, false}) {
    if (memory.staging == VK_NULL_HANDLE) break;
    for (const VkBufferCopy& region : staged_regions(program, to_io)) bytes += region.size;
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].buffer == nullptr || places[i].direct) continue;
    bytes += copied_size(tensor_at(program, i), places[i].offset, places[i].buffer->size());
  }
  return bytes;
}

}  // namespace nnvk::vulkan
