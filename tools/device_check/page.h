// The page of `nnvk gpu-check`, in HTML: verdicts of all stages, then their figures. Pure.
#pragma once

#include <string>

#include "tools/device_check/result.h"

namespace nnvk::tools::device_check {

std::string to_page(const Check& check);

}  // namespace nnvk::tools::device_check
