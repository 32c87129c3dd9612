// Starts conversions of pictures and sums up their durations.
#include "core/runtime/execution_pictures.h"

#include <utility>

#include "core/base/trace.h"

namespace nnvk {

Result<std::shared_ptr<const ConvertedInputs>> ConvertedInputs::start(const Compilation& compilation,
                                                                      const ExecutionBindings& bindings, bool on_fallback,
                                                                      const Request& request) {
  const trace::Section section("[NN_LR_PIO]convert pictures");
  Device& device = on_fallback ? compilation.runtime().fallback() : compilation.picture_device();
  auto converted = std::make_shared<ConvertedInputs>();
  converted->bindings_.assign(bindings.inputs().begin(), bindings.inputs().end());
  for (const PictureInput& input : bindings.pictures()) {
    const bool stays_on_device = !on_fallback && compilation.takes_input_on_picture_device(input.index);
    auto picture = compilation.shared().pictures.start(device, input, stays_on_device, compilation.priority(), request);
    if (!picture) return fail(picture.error().at(OperandPlace{"input", static_cast<uint32_t>(input.index)}));
    converted->bindings_[input.index] = (*picture)->binding;
    converted->pictures_.push_back(*std::move(picture));
  }
  return std::shared_ptr<const ConvertedInputs>(std::move(converted));
}

Fence ConvertedInputs::ready() const {
  std::vector<Fence> fences;
  for (const auto& picture : pictures_) fences.push_back(picture->submission.done);
  return when_all(fences);
}

std::optional<std::vector<std::shared_ptr<const QueuePlace>>> ConvertedInputs::places() const {
  std::vector<std::shared_ptr<const QueuePlace>> places;
  for (const auto& picture : pictures_) {
    const Submission& conversion = picture->submission;
    if (conversion.done.state() == Fence::State::kSignalled) continue;
    if (conversion.place == nullptr) return std::nullopt;
    places.push_back(conversion.place);
  }
  return places;
}

ConversionTimes ConvertedInputs::times() const {
  const auto known = [](uint64_t nanoseconds) { return nanoseconds == kNoDuration ? 0 : nanoseconds; };
  ConversionTimes sum;
  for (const auto& picture : pictures_) {
    sum.hardware += known(picture->submission.report->hardware_nanoseconds);
    sum.driver += known(picture->submission.report->driver_nanoseconds);
  }
  return sum;
}

}  // namespace nnvk
