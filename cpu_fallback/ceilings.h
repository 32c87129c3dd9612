// Measures the peak rates of this processor with one thread, for comparison with the kernels.
#pragma once

#include "core/runtime/device.h"

namespace nnvk::cpu {

// Takes well under a second. Blocks.
Ceilings measure_cpu_ceilings();

}  // namespace nnvk::cpu
