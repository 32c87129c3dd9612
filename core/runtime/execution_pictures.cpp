// Inputs of executions that are pictures: what may be bound, and converting them before the model runs.
#include <utility>

#include "core/base/trace.h"
#include "core/runtime/execution.h"

namespace nnvk {

// What is wrong with a conversion for an input of type `tensor`, bound to `memory` (null: a buffer).
Status Execution::check_picture(const Slot& slot, const OperandInfo& tensor, const Memory* memory) const {
  if (!slot.conversion) return {};
  const PictureDescription* picture = memory != nullptr ? memory->picture() : nullptr;
  if (picture != nullptr) return check_conversion(*slot.conversion, *picture, tensor);
  return fail(
      Code::kBadData,
      "it has a picture conversion, but what it is bound to is no picture that can be converted; bind the memory of a "
      "hardware buffer of format R8G8B8A8, R8G8B8X8, R8G8B8 or Y8Cb8Cr8_420 by ANeuralNetworksExecution_setInputFromMemory");
}

Status Execution::set_input_picture(uint32_t index, const PictureConversion& conversion) {
  NNVK_TRY(require_preparation());
  NNVK_ASSIGN(Slot * slot, slot_at(true, index));
  const auto place = [&](Error error) { return fail(error.at(OperandPlace{"input", index})); };
  Slot wanted = *slot;
  wanted.conversion = conversion;
  const Status status = slot->set ? check_picture(wanted, slot->info, slot->memory) : check_conversion(conversion);
  if (!status) return place(status.error());
  *slot = std::move(wanted);
  return {};
}

// Pictures that the client gave no conversion for: as with any memory whose contents are not the input's, nothing can be mapped.
Status Execution::check_pictures_at_launch() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Slot& slot = inputs_[i];
    if (!slot.is_picture() || slot.conversion) continue;
    if (const Status status = check_conversion(PictureConversion{}, *slot.memory->picture(), slot.info); !status) {
      Error error = status.error().at(OperandPlace{"input", static_cast<uint32_t>(i)});
      error.code = Code::kUnmappable;
      return fail(std::move(error));
    }
  }
  return {};
}

Result<std::shared_ptr<const Execution::ConvertedInputs>> Execution::convert_pictures(const Run& run,
                                                                                      const Deadline& deadline) const {
  const trace::Section section("[NN_LR_PIO]convert pictures");
  Device& device = run.is_fallback ? compilation_.runtime().cpu() : compilation_.first_device();
  auto converted = std::make_shared<ConvertedInputs>();
  converted->bindings = input_bindings_;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Slot& slot = inputs_[i];
    if (!slot.is_picture()) continue;
    const bool stays_on_device = !run.is_fallback && compilation_.takes_input_on_first_device(i);
    auto picture = compilation_.pictures().start(
        device, {*slot.memory, slot.conversion.value_or(PictureConversion{}), slot.info, stays_on_device, deadline,
                 run.may_compute_here, measure_timing_, compilation_.priority()});
    if (!picture) return fail(picture.error().at(OperandPlace{"input", static_cast<uint32_t>(i)}));
    converted->bindings[i] = (*picture)->binding();
    converted->ready.push_back((*picture)->ready());
    converted->pictures.push_back(*std::move(picture));
  }
  return std::shared_ptr<const ConvertedInputs>(std::move(converted));
}

void Execution::add_durations(const ConvertedInputs& converted) {
  const auto add = [](uint64_t& sum, uint64_t nanoseconds) { sum += nanoseconds == kNoDuration ? 0 : nanoseconds; };
  const std::lock_guard lock(mutex_);
  for (const auto& picture : converted.pictures) {
    add(conversion_nanoseconds_.hardware, picture->report().hardware_nanoseconds);
    add(conversion_nanoseconds_.driver, picture->report().driver_nanoseconds);
  }
}

// Runs the model when its pictures are tensors.
void Execution::submit_after(std::shared_ptr<const ConvertedInputs> converted, PreparedPlan& plan, const Run& run,
                             const Deadline& deadline) {
  const Fence ready = when_all(converted->ready);
  auto start = [self = shared_from_this(), &plan, run, deadline, ready, converted = std::move(converted)]() mutable -> Status {
    auto pictures = std::exchange(converted, nullptr);  // let go also where the model does not run
    NNVK_TRY(ready.result());
    return self->submit_to(plan, run, deadline, std::move(pictures));
  };
  auto failed = [self = shared_from_this(), run, waiting = compilation_.begin_waiting()](const Error& error) {
    self->on_device_done(run, fail(error), nullptr);
  };
  compilation_.runtime().launches().after(ready, {compilation_.priority(), std::move(start), std::move(failed)});
}

}  // namespace nnvk
