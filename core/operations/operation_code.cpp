// Names of the operations.
#include "core/operations/operation_code.h"

#include <array>
#include <cstdio>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/picture_conversion.h"
#include "core/operations/parameters/pixel_conversion.h"
#include "core/operations/parameters/pixel_gathering.h"

namespace nnvk {
namespace {

#define NNVK_NAME(enumerator, number, name, family) #name,
constexpr std::array<const char*, kOperationCount> kNames = {NNVK_OPERATIONS(NNVK_NAME)};
#undef NNVK_NAME

bool is_built_in(OperationCode code) { return static_cast<uint32_t>(code) < kNames.size(); }

}  // namespace

std::string operation_name(OperationCode code) {
  const auto value = static_cast<int32_t>(code);
  if (is_built_in(code)) return kNames[static_cast<size_t>(value)];
  if (code == OperationCode::kOemOperation) return "OEM_OPERATION";
  if (code == kPictureToTensor) return "PICTURE_TO_TENSOR";
  if (code == kConvertPixels) return "CONVERT_PIXELS";
  if (code == kGatherPixels) return "GATHER_PIXELS";
  if (is_extension_operation(code)) {
    char text[40];
    std::snprintf(text, sizeof text, "extension operation 0x%08x", static_cast<uint32_t>(value));
    return text;
  }
  return "operation " + std::to_string(value);
}

}  // namespace nnvk
