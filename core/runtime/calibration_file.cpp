// Reads and writes the file with a device's calibration.
#include "core/runtime/calibration_file.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/build_id.h"
#include "core/base/byte_stream.h"
#include "core/runtime/cache_file.h"

namespace nnvk {
namespace {

constexpr uint64_t kLargestFile = 1 << 20;

// Returns the processor's model and its number of threads, because several machines may share a home folder.
std::string processor() {
  std::string text = std::to_string(std::thread::hardware_concurrency());
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("model name") || line.starts_with("CPU part")) return text + line;
  }
  return text;
}

struct FileKind {
  const char* prefix;  // of the file's name
  const char* format;
};
constexpr FileKind kCalibration{"calibration-", "nnvk calibration, with transfers and choices"};
constexpr FileKind kSpeed{"speed-", "nnvk speed"};

CacheStamp stamp_for(const DeviceInfo& info, const FileKind& kind) {
  CacheStamp stamp;
  stamp.key = Sha256().add(kind.format).add(processor()).finish();
  // Holds only the versions of the sources on which times depend, if known: otherwise every new build needs a new calibration.
  stamp.build = info.kernels_version.empty() ? Sha256().add(build_id()).finish()
                                             : Sha256().add(info.kernels_version).add(cost_model_version()).finish();
  const std::string& identity = info.calibration_identity.empty() ? info.cache_identity : info.calibration_identity;
  stamp.device = Sha256().add(info.name).add(identity).finish();
  stamp.driver = Sha256().add(info.version).finish();
  return stamp;
}

std::string path_of(const std::string& folder, const DeviceInfo& device, const FileKind& kind) {
  std::string name = device.name;
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!is_plain) c = '_';
  }
  return folder + "/" + kind.prefix + name;
}

Result<std::vector<std::byte>> read_file(const std::string& folder, const DeviceInfo& device, const FileKind& kind) {
  return read_cache_file(path_of(folder, device, kind), stamp_for(device, kind), kLargestFile);
}

// Returns the file's path.
Result<std::string> replace_file(const std::string& folder, const DeviceInfo& device, const FileKind& kind,
                                 std::span<const std::byte> bytes) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // an error shows when the file is written
  std::string path = path_of(folder, device, kind);
  NNVK_TRY(replace_cache_file(path, stamp_for(device, kind), bytes));
  return path;
}

}  // namespace

Result<MeasuredCosts> read_calibration(const std::string& folder, const DeviceInfo& device) {
  NNVK_ASSIGN(const std::vector<std::byte> bytes, read_file(folder, device, kCalibration));
  ByteReader reader(bytes);
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  MeasuredCosts costs;
  bool are_times = true;
  for (double* const seconds :
       {&costs.transfers.seconds_per_step, &costs.transfers.seconds_per_tensor, &costs.transfers.seconds_per_byte}) {
    *seconds = reader.value<double>();
    are_times = are_times && is_time(*seconds);
  }
  const auto count = reader.value<uint32_t>();
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    CostClass kind;
    kind.family = reader.value<CostFamily>();
    kind.is_8bit = reader.value<uint8_t>() != 0;
    kind.channels_first = reader.value<uint8_t>() != 0;
    kind.kernel = reader.value<uint8_t>() != 0 ? KernelKind::kReference : KernelKind::kOwn;
    CostRates& of_class = costs.rates[kind];
    for (double& rate : of_class) {
      rate = reader.value<double>();
      are_times = are_times && is_time(rate);
    }
  }
  const auto choices = reader.block();
  costs.choices.assign(choices.begin(), choices.end());
  if (!reader.ok() || costs.rates.empty()) return fail(Code::kOpFailed, "it ends early or is empty");
  if (!are_times) return fail(Code::kOpFailed, "a time in it is negative or not finite");
  return costs;
}

Result<std::string> keep_calibration(const std::string& folder, const DeviceInfo& device, const Calibration& calibration) {
  ByteWriter writer;
  const auto& [rates, transfers, choices] = calibration.costs;
  for (const double seconds : {transfers.seconds_per_step, transfers.seconds_per_tensor, transfers.seconds_per_byte}) {
    writer.value(seconds);
  }
  writer.value(static_cast<uint32_t>(rates.size()));
  for (const auto& [kind, of_class] : rates) {
    writer.value(kind.family);
    writer.value(static_cast<uint8_t>(kind.is_8bit));
    writer.value(static_cast<uint8_t>(kind.channels_first));
    writer.value(static_cast<uint8_t>(kind.kernel));
    for (const double rate : of_class) writer.value(rate);
  }
  writer.block(choices);
  return replace_file(folder, device, kCalibration, writer.view());
}

Result<std::vector<std::byte>> read_speed(const std::string& folder, const DeviceInfo& device) {
  return read_file(folder, device, kSpeed);
}

Status keep_speed(const std::string& folder, const DeviceInfo& device, std::span<const std::byte> speed) {
  NNVK_TRY(replace_file(folder, device, kSpeed, speed));
  return {};
}

}  // namespace nnvk
