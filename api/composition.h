// What differs between the libraries that are made of the same entry points: each defines it once.
#pragma once

namespace nnvk::api {

// Whether clients see the CPU device. A Support Library has none (api.md section 9).
bool offers_cpu_device();

}  // namespace nnvk::api
