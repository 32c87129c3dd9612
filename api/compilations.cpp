// Entry points: compilations and bursts.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "api/instance.h"
#include "core/base/library_pin.h"
#include "core/runtime/shape_preparation.h"

using namespace nnvk;
using namespace nnvk::api;

static_assert(NNVK_MAX_INPUT_SHAPES == kPreparedShapes);

namespace {

// Finds the devices' preference for client memory, a hint (docs/nnapi/compilation.md): the greatest value of `fact` among them.
int preferred(const char* function, const ANeuralNetworksCompilation* compilation, bool is_input, uint32_t index, uint32_t* value,
              uint32_t DeviceInfo::*fact) {
  return call(function, {NNVK_ARGUMENT(compilation), {value, "the output pointer"}}, [&]() -> Status {
    NNVK_TRY(compilation->compilation.require_ready());
    const auto& infos = is_input ? compilation->compilation.input_infos() : compilation->compilation.output_infos();
    if (index >= infos.size()) {
      return fail(Code::kBadData, std::string(is_input ? "input " : "output ") + std::to_string(index) +
                                      " does not exist: the model has " + std::to_string(infos.size()));
    }
    *value = 1;
    for (const Device* device : compilation->compilation.devices_used()) *value = std::max(*value, device->info().*fact);
    return {};
  });
}

}  // namespace

ANeuralNetworksCompilation::Counted::Counted() {
  ++instance().live_compilations();
  pin_library();
}
ANeuralNetworksCompilation::Counted::~Counted() {
  --instance().live_compilations();
  unpin_library();
}

int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model, ANeuralNetworksCompilation** compilation) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(compilation)}, [&]() -> Status {
    *compilation = nullptr;
    NNVK_TRY(model->model.require_finished());
    *compilation = new ANeuralNetworksCompilation{{}, {}, Kept(model), {model->model, instance().complete_runtime()}};
    return {};
  });
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices, ANeuralNetworksCompilation** compilation) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(devices), NNVK_ARGUMENT(compilation)}, [&]() -> Status {
    if (numDevices == 0) return fail(Code::kBadData, "numDevices must be above 0, but is 0");
    NNVK_ASSIGN(DeviceList list, device_list(devices, numDevices));
    *compilation = nullptr;
    NNVK_TRY(model->model.require_finished());
    *compilation = new ANeuralNetworksCompilation{
        {}, std::move(list.uses), Kept(model), {model->model, instance().runtime(), std::move(list.devices)}};
    return {};
  });
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation) { free_handle(__func__, compilation); }

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation, int32_t preference) {
  return call(__func__, {NNVK_ARGUMENT(compilation)}, [&] { return compilation->compilation.set_preference(preference); });
}

int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* cacheDir, const uint8_t* token) {
  return call(__func__, {NNVK_ARGUMENT(compilation), NNVK_ARGUMENT(cacheDir), NNVK_ARGUMENT(token)},
              [&] { return compilation->compilation.set_caching(cacheDir, token); });
}

int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation* compilation, int priority) {
  return call(__func__, {NNVK_ARGUMENT(compilation)}, [&] { return compilation->compilation.set_priority(priority); });
}

int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation* compilation, uint64_t duration) {
  return call(__func__, {NNVK_ARGUMENT(compilation)}, [&] { return compilation->compilation.set_timeout(duration); });
}

int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation* compilation, const char* extensionName,
                                                     uint16_t attributeCodeWithinExtension, const void* data, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(compilation), NNVK_ARGUMENT(extensionName)}, [&]() -> Status {
    NNVK_TRY(check_pair(data, length, "data"));
    return compilation->compilation.add_extension_attribute(extensionName, attributeCodeWithinExtension, data, length);
  });
}

int nnvk_Compilation_addInputShapes(ANeuralNetworksCompilation* compilation, const NnvkShape* shapes, uint32_t count) {
  return call(__func__, {NNVK_ARGUMENT(compilation)}, [&]() -> Status {
    NNVK_TRY(check_pair(shapes, count, "shapes"));
    std::vector<Shape> named;
    for (const NnvkShape& shape : std::span(shapes, count)) {
      NNVK_TRY(check_pair(shape.dimensions, shape.rank, "the dimensions of a shape"));
      named.push_back(shape.rank == 0 ? Shape::unknown_rank()
                                      : Shape(std::vector(shape.dimensions, shape.dimensions + shape.rank)));
      std::ranges::replace(named.back().dims, 0U, kUnknownDimension);
    }
    return compilation->compilation.add_input_shapes(named);
  });
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation) {
  return call(__func__, {NNVK_ARGUMENT(compilation)}, [&] { return compilation->compilation.finish(); });
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(const ANeuralNetworksCompilation* compilation, uint32_t index,
                                                                   uint32_t* alignment) {
  return preferred(__func__, compilation, true, index, alignment, &DeviceInfo::preferred_alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(const ANeuralNetworksCompilation* compilation, uint32_t index,
                                                                 uint32_t* padding) {
  return preferred(__func__, compilation, true, index, padding, &DeviceInfo::preferred_padding);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(const ANeuralNetworksCompilation* compilation, uint32_t index,
                                                                    uint32_t* alignment) {
  return preferred(__func__, compilation, false, index, alignment, &DeviceInfo::preferred_alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(const ANeuralNetworksCompilation* compilation, uint32_t index,
                                                                  uint32_t* padding) {
  return preferred(__func__, compilation, false, index, padding, &DeviceInfo::preferred_padding);
}

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksBurst** burst) {
  return call(__func__, {NNVK_ARGUMENT(compilation), NNVK_ARGUMENT(burst)}, [&]() -> Status {
    *burst = nullptr;
    NNVK_TRY(compilation->compilation.require_ready());
    *burst = new ANeuralNetworksBurst{Burst(compilation->compilation)};
    return {};
  });
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst* burst) { free_handle(__func__, burst); }
