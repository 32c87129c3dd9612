// Measures the peak rates of this processor with the vector code and the threads of nnvk-cpu, for comparison with the kernels.
#pragma once

#include "core/runtime/device.h"

namespace nnvk::cpu {

// Measures the processor's peak rates with `threads` threads. Blocks for a second or two.
Ceilings measure_cpu_ceilings(unsigned threads);

}  // namespace nnvk::cpu
