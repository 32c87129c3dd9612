#include "vulkan/recording/application_recording.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace nnvk::vulkan {

ApplicationRecording::ApplicationRecording(std::shared_ptr<const SlotBlueprint> blueprint, RecordingConstants constants,
                                           RecordingMemory memory)
    : constants_(std::move(constants)),
      owner_(std::move(blueprint)),
      blueprint_(*owner_),
      program_(blueprint_.program),
      memory_(std::move(memory)) {}

Result<std::unique_ptr<ApplicationRecording>> ApplicationRecording::create(std::shared_ptr<const SlotBlueprint> blueprint,
                                                                           RecordingConstants constants, RecordingMemory memory) {
  std::unique_ptr<ApplicationRecording> made(
      new ApplicationRecording(std::move(blueprint), std::move(constants), std::move(memory)));
  NNVK_TRY(made->make_memory());
  NNVK_ASSIGN(
      made->descriptors_,
      Descriptors::create(made->blueprint_.context, made->blueprint_.runnable(), all_dispatches(made->program_),
                          {made->regions_, made->blueprint_.constants, made->memory_.places}, *made->blueprint_.activity));
  NNVK_TRY(made->list_copies());
  return made;
}

bool ApplicationRecording::is_copied(size_t place) const {
  return program_.io_tensor(place).used && memory_.places[place].access != IoAccess::kDirect;
}

Status ApplicationRecording::make_memory() {
  bool copies = false;
  for (size_t i = 0; i < memory_.places.size(); ++i) {
    if (!is_copied(i)) continue;
    copies = true;
    const IoPlace& place = memory_.places[i];
    if (place.access == IoAccess::kDeviceCopy || place.size == 0) continue;
    const bool is_input = i < program_.inputs.size();
    return fail(Code::kBadData, std::string(is_input ? "input " : "output ") +
                                    std::to_string(is_input ? i : i - program_.inputs.size()) + " cannot be recorded: " +
                                    std::string(place.reason) + "; bind memory that was made from a buffer of the application");
  }
  const DevicePlan& device = blueprint_.context->plan();
  Activity& activity = *blueprint_.activity;
  if (memory_.scratch.buffer != VK_NULL_HANDLE) {
    if (memory_.scratch.offset % kStorageAlignment != 0) {
      return fail(Code::kBadData, "the scratch memory begins at " + std::to_string(memory_.scratch.offset) +
                                      ", which is not a multiple of " + std::to_string(kStorageAlignment));
    }
  } else if (program_.arena_size > 0) {
    NNVK_ASSIGN(arena_, Buffer::create(blueprint_.context, program_.arena_size, MemoryUse::kDevice, activity,
                                       "temporary tensors of a recording"));
  }
  const uint64_t begin = copies ? 0 : program_.output_begin;
  const uint64_t end = copies ? program_.io_size : program_.input_end;
  if (end > begin) {
    // The host reads the failure flags.
    const MemoryUse shared = device.direct_io ? MemoryUse::kIo : MemoryUse::kStaging;
    const bool host_looks = device.direct_io || !program_.failure_flags.empty();
    NNVK_ASSIGN(io_, Buffer::create(blueprint_.context, end - begin, host_looks ? shared : MemoryUse::kDevice, activity,
                                    "inputs and outputs of a recording"));
    if (!io_.bytes().empty()) std::memset(io_.bytes().data(), 0, io_.bytes().size());
  }
  regions_ = {arena_.handle(), io_.handle(), blueprint_.local.handle(), 0, begin};
  if (memory_.scratch.buffer != VK_NULL_HANDLE) {
    regions_.arena = memory_.scratch.buffer;
    regions_.arena_offset = memory_.scratch.offset;
  }
  return {};
}

Status ApplicationRecording::list_copies() {
  for (size_t i = 0; i < memory_.places.size(); ++i) {
    const IoPlace& theirs = memory_.places[i];
    if (!is_copied(i) || theirs.size == 0) continue;
    const bool is_input = i < program_.inputs.size();
    Transfers& transfers = is_input ? in_ : out_;
    const uint64_t in_io = program_.io_tensor(i).offset - regions_.io_begin;
    if (theirs.image != nullptr) {
      NNVK_ASSIGN(auto image, theirs.image->make_transfer({io_.handle(), in_io, theirs.size}, *blueprint_.activity));
      transfers.images.push_back(std::move(image));
    } else if (is_input) {
      transfers.copies.push_back({theirs.memory->handle(), io_.handle(), {theirs.offset, in_io, theirs.size}});
    } else {
      transfers.copies.push_back({io_.handle(), theirs.memory->handle(), {in_io, theirs.offset, theirs.size}});
    }
  }
  return {};
}

ApplicationRecording::Slice ApplicationRecording::slice(size_t begin, double seconds) const {
  size_t end = begin;
  double sum = 0;
  while (end < program_.dispatches.size()) {
    sum += program_.dispatches[end].seconds;
    if (end > begin && sum > seconds) break;
    ++end;
  }
  return {begin, end};
}

double ApplicationRecording::seconds_from(size_t begin) const {
  double sum = 0;
  for (size_t d = begin; d < program_.dispatches.size(); ++d) sum += program_.dispatches[d].seconds;
  return sum;
}

Status ApplicationRecording::record(VkCommandBuffer commands, const ApplicationBarriers& barriers, const Slice& slice) const {
  if (blueprint_.context->is_lost()) return fail(Code::kDeadObject, "the device is lost");
  if (!constants_.are_there->load(std::memory_order_acquire))
    return fail(Code::kBadState, "the weights have yet to be packed: record the preparation first");
  write(commands, barriers, slice);
  return {};
}

void ApplicationRecording::write(VkCommandBuffer commands, const Transfers& transfers) const {
  const VolkDeviceTable& vk = blueprint_.context->vk();
  for (const Copy& c : transfers.copies) vk.vkCmdCopyBuffer(commands, c.source, c.target, 1, &c.region);
  for (const auto& image : transfers.images) image->record(commands);
}

void ApplicationRecording::write(VkCommandBuffer commands, const ApplicationBarriers& barriers, const Slice& slice) const {
  const Context& context = *blueprint_.context;
  const bool is_first = slice.begin == 0;
  // nnvk needs this barrier even if the application requests none: an earlier run in its commands may use the same temporaries,
  // and a slice reads the results of the slices before.
  Barrier before{kCopyOrDispatch, kApplicationWrites, kCopyOrDispatch, kApplicationReads | kApplicationWrites};
  if (barriers.before && is_first) {
    before.from_stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    before.from_access = VK_ACCESS_MEMORY_WRITE_BIT;
  }
  record_barrier(context, commands, before);
  if (is_first && !in_.empty()) {
    write(commands, in_);
    record_barrier(context, commands, in_.images.empty() ? kFromCopiesToDispatches : kFromImagesToDispatches);
  }
  record_dispatches(context, commands, blueprint_.runnable(), descriptors_->sets(), {slice.begin, slice.end});
  if (slice.end < program_.dispatches.size()) return;
  if (!out_.empty()) {
    record_barrier(context, commands, kFromDispatchesToResults);
    write(commands, out_);
  }
  Barrier after{kCopyOrDispatch, kApplicationWrites, 0, 0};
  if (!program_.failure_flags.empty()) {
    after.to_stage |= VK_PIPELINE_STAGE_HOST_BIT;
    after.to_access |= VK_ACCESS_HOST_READ_BIT;
  }
  if (barriers.after) {
    after.to_stage |= VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    after.to_access |= VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  }
  if (after.to_stage != 0) record_barrier(context, commands, after);
}

Status ApplicationRecording::take_failures() {
  if (program_.failure_flags.empty()) return {};
  Status result;
  for (const FailureFlag& flag : program_.failure_flags) {
    uint32_t word = 0;
    std::memcpy(&word, io_.bytes().data() + flag.offset - regions_.io_begin, sizeof word);
    if (word != 0 && result) result = fail(Code::kOpFailed, flag.message);
  }
  const uint64_t status_size = program_.input_end - program_.output_begin;
  std::ranges::fill(io_.bytes().subspan(program_.output_begin - regions_.io_begin, status_size), std::byte{0});
  return result;
}

}  // namespace nnvk::vulkan
