#include "vulkan/ceilings.h"

#include <algorithm>

#include "vulkan/device_rates.h"

namespace nnvk::vulkan {
namespace {

constexpr Effort kThorough{.long_enough = 0.02, .most_runs = 24, .runs_without_gain = 4, .buffer_bytes = uint64_t{64} << 20};
constexpr uint32_t kFewestTexels = 1U << 12;  // the most are this times a power of 8

}  // namespace

Result<Ceilings> measure_ceilings(const std::shared_ptr<Gpu>& gpu) {
  constexpr double kGiga = 1e9;
  constexpr double kOperations = 2;  // of a multiply-add
  NNVK_ASSIGN(DeviceRates rates, DeviceRates::create(gpu, kThorough));
  Ceilings ceilings;
  NNVK_ASSIGN(const double floats, rates.float_multiply_adds());
  NNVK_ASSIGN(const double integers, rates.integer_multiply_adds());
  NNVK_ASSIGN(const double copied, rates.copied_bytes());
  ceilings.fp32_gflops = kOperations * floats / kGiga;
  ceilings.int8_gops = kOperations * integers / kGiga;
  ceilings.copy_gigabytes_per_second = copied / kGiga;
  for (uint32_t texels = std::min(kFewestTexels, rates.texels()); texels <= rates.texels(); texels *= 8) {
    NNVK_ASSIGN(const double read, rates.read_bytes(texels));
    ceilings.read_gigabytes_per_second = read / kGiga;
    ceilings.traffic.push_back({texels * DeviceRates::kTexelBytes, ceilings.read_gigabytes_per_second});
  }
  double& of_memory = ceilings.traffic.back().gigabytes_per_second;
  of_memory = std::max(of_memory, ceilings.copy_gigabytes_per_second);
  return ceilings;
}

}  // namespace nnvk::vulkan
