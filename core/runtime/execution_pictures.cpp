// Starting conversions, and what they add up to.
#include "core/runtime/execution_pictures.h"

#include <utility>

#include "core/base/trace.h"

namespace nnvk {

Result<std::shared_ptr<const ConvertedInputs>> ConvertedInputs::start(const Compilation& compilation,
                                                                      const ExecutionBindings& bindings, const Options& options) {
  const trace::Section section("[NN_LR_PIO]convert pictures");
  Device& device = options.on_cpu ? compilation.runtime().cpu() : compilation.first_device();
  auto converted = std::make_shared<ConvertedInputs>();
  converted->bindings_.assign(bindings.inputs().begin(), bindings.inputs().end());
  for (const PictureInput& input : bindings.pictures()) {
    const bool stays_on_device = !options.on_cpu && compilation.takes_input_on_first_device(input.index);
    auto picture =
        compilation.pictures().start(device, {input.memory, input.conversion, input.tensor, stays_on_device, options.deadline,
                                              options.may_run_inline, options.measure_timing, compilation.priority()});
    if (!picture) return fail(picture.error().at(OperandPlace{"input", static_cast<uint32_t>(input.index)}));
    converted->bindings_[input.index] = (*picture)->binding();
    converted->pictures_.push_back(*std::move(picture));
  }
  return std::shared_ptr<const ConvertedInputs>(std::move(converted));
}

Fence ConvertedInputs::ready() const {
  std::vector<Fence> fences;
  for (const auto& picture : pictures_) fences.push_back(picture->ready());
  return when_all(fences);
}

ConversionTimes ConvertedInputs::times() const {
  const auto known = [](uint64_t nanoseconds) { return nanoseconds == kNoDuration ? 0 : nanoseconds; };
  ConversionTimes sum;
  for (const auto& picture : pictures_) {
    sum.hardware += known(picture->report().hardware_nanoseconds);
    sum.driver += known(picture->report().driver_nanoseconds);
  }
  return sum;
}

}  // namespace nnvk
