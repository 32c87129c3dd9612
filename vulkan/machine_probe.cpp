// Short benchmarks, and the file that holds their results.
#include "vulkan/machine_probe.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/byte_stream.h"
#include "core/base/config.h"
#include "core/base/log.h"
#include "core/runtime/calibration_file.h"
#include "vulkan/device_rates.h"

namespace nnvk::vulkan {
namespace {

// Together some 20 ms on a GPU whose memory moves 40 GB/s, and less on faster ones.
constexpr Effort kBrief{.long_enough = 0.4e-3, .most_runs = 2, .runs_without_gain = 2, .buffer_bytes = uint64_t{32} << 20};

constexpr double MachineSpeed::*kFigures[] = {&MachineSpeed::multiply_adds_per_second, &MachineSpeed::bytes_per_second,
                                              &MachineSpeed::uploaded_bytes_per_second, &MachineSpeed::seconds_per_dispatch,
                                              &MachineSpeed::seconds_per_submission};

std::string describe(const MachineSpeed& speed) {
  const auto rounded = [](double value) { return std::to_string(std::llround(value)); };
  return rounded(speed.multiply_adds_per_second / 1e9) + " billion multiply-adds and " + rounded(speed.bytes_per_second / 1e9) +
         " GB per second, " + rounded(speed.seconds_per_dispatch * 1e9) + " ns per dispatch, " +
         rounded(speed.seconds_per_submission * 1e6) + " us per submission";
}

}  // namespace

Result<MachineSpeed> probe_speed(const std::shared_ptr<Gpu>& gpu) {
  if (!gpu->submits()) return fail(Code::kBadState, "nnvk submits nothing to this device");
  NNVK_ASSIGN(DeviceRates rates, DeviceRates::create(gpu, kBrief));
  MachineSpeed speed;
  NNVK_ASSIGN(speed.multiply_adds_per_second, rates.float_multiply_adds());
  NNVK_ASSIGN(const double read, rates.read_bytes(rates.texels()));
  NNVK_ASSIGN(const double copied, rates.copied_bytes());
  speed.bytes_per_second = std::max(read, copied);
  NNVK_ASSIGN(speed.uploaded_bytes_per_second, rates.uploaded_bytes());
  NNVK_ASSIGN(const double dispatches, rates.dispatches());
  speed.seconds_per_dispatch = 1 / dispatches;
  NNVK_ASSIGN(speed.seconds_per_submission, rates.seconds_per_submission());
  return speed;
}

std::optional<MachineSpeed> kept_or_probed_speed(const std::shared_ptr<Gpu>& gpu, const DeviceInfo& device) {
  const auto folder = user_cache_folder();
  if (folder) {
    if (const auto bytes = read_speed(*folder, device)) {
      if (const auto kept = speed_of(*bytes)) return kept;
    }
  }
  const auto probed = probe_speed(gpu);
  if (!probed) {
    log_line(LogLevel::kWarning, "Vulkan", device.name + ": its speed is assumed, not measured: " + probed.error().text());
    return std::nullopt;
  }
  log_line(Detail::kManager, "Vulkan", device.name + " measured its speed: " + describe(*probed));
  if (folder) {
    if (const auto kept = keep_speed(*folder, device, bytes_of(*probed)); !kept) {
      log_line(Detail::kManager, "Vulkan", device.name + ": its speed is measured again next time: " + kept.error().text());
    }
  }
  return *probed;
}

std::vector<std::byte> bytes_of(const MachineSpeed& speed) {
  ByteWriter writer;
  for (const auto figure : kFigures) writer.value(speed.*figure);
  return writer.take();
}

std::optional<MachineSpeed> speed_of(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  MachineSpeed speed;
  for (const auto figure : kFigures) {
    speed.*figure = reader.value<double>();
    if (!std::isfinite(speed.*figure) || speed.*figure <= 0) return std::nullopt;
  }
  return reader.at_end() ? std::optional(speed) : std::nullopt;
}

}  // namespace nnvk::vulkan
