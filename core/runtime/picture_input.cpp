// Makes one-operation plans, keeps them in a cache, and owns the objects that a running conversion uses.
#include "core/runtime/picture_input.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/operations/rules/shape_rules.h"
#include "core/plan/added_tensors.h"
#include "core/runtime/memory.h"

namespace nnvk {
namespace {

// The parameters and the size of a conversion; conversions with equal keys share a plan. The crops of a batch are no part of it.
struct Key {
  const Device* device;
  uint64_t bytes;
  uint32_t tap_words;  // of the crops of a batch; 0: there are none
  std::vector<int32_t> integers;
  std::vector<float> reals;
  OperandType type;
  Shape shape;
  float scale;
  int32_t zero_point;
  bool operator==(const Key&) const = default;
};

// Returns the number of words of the taps for a batch of crops; 0 without crops.
uint32_t tap_words_of(const PictureLayout& layout, const PictureInput& input) {
  if (input.conversion.crops.empty()) return 0;
  const LayoutAxes axes = layout_axes(input.conversion.nchw);
  const Shape& shape = input.tensor.shape;
  const uint64_t words = tap_word_count(layout.picture.format, input.conversion.filter, shape[axes.height], shape[axes.width]);
  return static_cast<uint32_t>(input.conversion.crops.size() * words);
}

std::shared_ptr<const Plan> make_plan(const Key& key, const OperandInfo& tensor) {
  const OperandInfo bytes = operand_info(OperandType::kTensorQuant8Asymm, {static_cast<uint32_t>(key.bytes)}, 1.0F);
  const Shape taps = key.tap_words == 0 ? Shape() : Shape{key.tap_words};
  return conversion_plan(kPictureToTensor, bytes, {key.integers, key.reals, taps}, tensor);
}

// The tensors of a conversion, on the device. A picture gets the same tensor as last time if that is free, so that the device
// reuses this pair's descriptors and commands. Memory that was handed out may outlive this object.
class PictureTensors {
 public:
  std::shared_ptr<DeviceMemory> take(Device& device, uint64_t size, const void* picture) {
    std::unique_ptr<DeviceMemory> memory = shelf_->take(picture, size);
    if (memory == nullptr) memory = device.allocate({size}).value_or(nullptr);
    if (memory == nullptr) {
      const std::lock_guard lock(shelf_->mutex);
      --shelf_->made;
      return nullptr;
    }
    const auto give_back = [shelf = shelf_, picture](DeviceMemory* done) {
      std::unique_ptr<DeviceMemory> owned(done);
      const std::lock_guard lock(shelf->mutex);
      const Status kept = catch_out_of_memory([&]() -> Status {
        shelf->free.push_back({nullptr, picture});
        return {};
      });
      kept ? void(shelf->free.back().memory = std::move(owned)) : void(--shelf->made);
    };
    return {memory.release(), give_back};
  }

  uint64_t count() const {
    const std::lock_guard lock(shelf_->mutex);
    return shelf_->made;
  }

 private:
  struct Shelf {
    struct Free {
      std::unique_ptr<DeviceMemory> memory;
      const void* picture;  // that it served last; compared, never dereferenced
    };

    // Takes a tensor for a picture. Returns null if the caller must allocate another one.
    std::unique_ptr<DeviceMemory> take(const void* picture, uint64_t size) {
      const std::lock_guard lock(mutex);
      made -= std::erase_if(free, [](const Free& f) { return f.memory->is_lost(); });
      auto chosen = std::find_if(free.begin(), free.end(), [picture](const Free& f) { return f.picture == picture; });
      if (chosen == free.end()) {
        const bool may_grow = made < kKept && (made + 1) * size <= kMostBytes;
        if (free.empty() || may_grow) {
          ++made;
          return nullptr;
        }
        chosen = free.begin();  // idle for the longest time
      }
      std::unique_ptr<DeviceMemory> memory = std::move(chosen->memory);
      free.erase(chosen);
      return memory;
    }

    static constexpr uint64_t kKept = 8;                 // tensors; more than run at once, so that pictures find their own again
    static constexpr uint64_t kMostBytes = 64ULL << 20;  // in total

    std::mutex mutex;
    std::deque<Free> free;
    uint64_t made = 0;
  };
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

}  // namespace

// A conversion; its device can run it once `plan` is set.
struct PreparedConversion {
  explicit PreparedConversion(Key of) : key(std::move(of)) {}

  const Key key;
  std::mutex making;                   // held while preparing; other threads with the same picture wait
  std::unique_ptr<PreparedPlan> plan;  // set once, under `making`
  std::atomic<bool> is_ready{false};
  PictureTensors tensors;
};

std::shared_ptr<PreparedConversion> PictureConversions::find_or_add(Device& device, const PictureExtent& extent,
                                                                    const PictureInput& input) {
  const OperandInfo& tensor = input.tensor;
  Key key{&device,
          extent.bytes,
          tap_words_of(extent.layout, input),
          picture_integers(extent.layout, input.conversion),
          picture_reals(input.conversion),
          tensor.type,
          tensor.shape,
          tensor.scale,
          tensor.zero_point};
  std::shared_ptr<PreparedConversion> evicted;  // destroyed outside the lock: it waits for its executions
  const std::lock_guard lock(mutex_);
  if (const auto* known = recent_.find([&](const auto& prepared) { return prepared->key == key; })) return *known;
  evicted = recent_.add(std::make_shared<PreparedConversion>(std::move(key)));
  return recent_.values().front();
}

Result<bool> PictureConversions::make_ready(PreparedConversion& conversion, Device& device, const OperandInfo& tensor,
                                            int32_t priority) {
  if (conversion.is_ready) return false;
  const std::lock_guard making(conversion.making);
  if (conversion.is_ready) return false;
  PrepareOptions options;
  options.priority = priority;
  auto plan = device.prepare(make_plan(conversion.key, tensor), options);
  if (!plan) return fail(plan.error().on_device(device.info().name));
  conversion.plan = std::move(*plan);
  conversion.is_ready = true;
  const std::lock_guard lock(mutex_);
  ++prepared_;
  return true;
}

Status PictureConversions::prepare(Device& device, const PictureInput& input, int32_t priority) {
  NNVK_ASSIGN(const PictureExtent extent, input.memory.picture_extent());
  const auto conversion = find_or_add(device, extent, input);
  NNVK_TRY(make_ready(*conversion, device, input.tensor, priority));
  return {};
}

Result<std::shared_ptr<const ConvertedPicture>> PictureConversions::start(Device& device, const PictureInput& input,
                                                                          bool stays_on_device, int32_t priority,
                                                                          const Request& request) {
  const auto converted = std::make_shared<ConvertedPicture>();
  NNVK_ASSIGN(converted->pixels, input.memory.lock_picture());
  const PictureExtent extent{converted->pixels->layout(), converted->pixels->bytes().size()};
  converted->prepared = find_or_add(device, extent, input);
  NNVK_ASSIGN(const bool late, make_ready(*converted->prepared, device, input.tensor, priority));
  {
    const std::lock_guard lock(mutex_);
    ++executions_;
    if (late) ++prepared_while_starting_;
  }
  Binding& output = converted->binding;
  output.shape = input.tensor.shape;
  output.size = input.tensor.byte_size().value_or(0);
  if (stays_on_device) {
    const std::shared_ptr<MappedMemory> mapping = converted->pixels->mapping();
    const void* const picture = mapping != nullptr ? static_cast<const void*>(mapping.get()) : &input.memory;
    converted->device_memory = converted->prepared->tensors.take(device, output.size, picture);
    output.device_memory = converted->device_memory.get();
  }
  if (output.device_memory == nullptr) {  // or the device has no memory of its own
    converted->host_memory.resize(output.size);
    output.data = converted->host_memory.data();
  }
  const auto bytes = converted->pixels->bytes();
  Binding picture = Binding::of_constant(bytes, {static_cast<uint32_t>(bytes.size())});
  picture.mapping = converted->pixels->mapping();
  std::vector<Binding> inputs = {picture};
  if (!input.conversion.crops.empty()) {
    converted->taps = crop_taps(extent.layout, input.conversion, input.tensor);
    inputs.push_back(
        Binding::of_constant(std::as_bytes(std::span(converted->taps)), {static_cast<uint32_t>(converted->taps.size())}));
  }
  Request run;
  run.inputs = inputs;
  run.outputs = std::span(&output, 1);
  run.deadline = request.deadline;
  run.may_run_inline = request.may_run_inline;
  run.measure_timing = request.measure_timing;
  run.behind = request.behind;
  if (run.behind.empty()) {
    NNVK_ASSIGN(converted->submission, converted->prepared->plan->submit(run));
  } else {
    NNVK_ASSIGN(auto queued, converted->prepared->plan->submit_behind(run));
    if (!queued) return fail(Code::kOpFailed, "the device cannot convert the picture behind other work");
    converted->submission = *std::move(queued);
  }
  AwaitUnlessHandedOn end(converted->submission.done);
  // Keeps everything that the conversion uses until it has settled, even if the model's own submission fails.
  converted->submission.done.on_settled([keep = std::shared_ptr(converted)](const Status&) mutable { keep.reset(); });
  end.release();
  return converted;
}

Counters PictureConversions::counters() const {
  const std::lock_guard lock(mutex_);
  Counters sums = {{"prepared", prepared_},         {"prepared_while_starting", prepared_while_starting_},
                   {"executions", executions_},     {"bytes_copied_in", 0},
                   {"command_buffers_recorded", 0}, {"descriptor_sets_written", 0},
                   {"dma_bufs_imported", 0},        {"tensors", 0}};
  for (const auto& conversion : recent_.values()) {
    if (!conversion->is_ready) continue;
    const Counters counters = conversion->plan->counters();
    for (const char* name : {"bytes_copied_in", "command_buffers_recorded", "descriptor_sets_written", "dma_bufs_imported"}) {
      if (const auto found = counters.find(name); found != counters.end()) sums[name] += found->second;
    }
    sums["tensors"] += conversion->tensors.count();
  }
  return sums;
}

}  // namespace nnvk
