// The file's stamp and contents.
#include "core/runtime/calibration_file.h"

#include <sys/auxv.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/build_id.h"
#include "core/base/byte_stream.h"
#include "core/runtime/cache_file.h"

namespace nnvk {
namespace {

constexpr uint64_t kLargestFile = 1 << 20;

// The processor's model and the number of its threads: a home folder may be shared by several machines.
std::string processor() {
  std::string text = std::to_string(std::thread::hardware_concurrency());
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("model name") || line.starts_with("CPU part")) return text + line;
  }
  return text;
}

CacheStamp stamp_for(const Device& device) {
  const DeviceInfo& info = device.info();
  CacheStamp stamp;
  stamp.key = Sha256().add("nnvk calibration").add(processor()).finish();
  stamp.build = Sha256().add(build_id()).finish();
  stamp.device = Sha256().add(info.name).add(info.cache_identity).finish();
  stamp.driver = Sha256().add(info.version).finish();
  return stamp;
}

std::string path_of(const std::string& folder, const Device& device) {
  std::string name = device.info().name;
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!is_plain) c = '_';
  }
  return folder + "/calibration-" + name;
}

}  // namespace

std::optional<std::string> calibration_folder() {
  if (::getauxval(AT_SECURE) != 0) return std::nullopt;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/nnvk";  // others are to be ignored
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/nnvk";
  return std::nullopt;
}

Result<std::map<CostClass, CostRates>> read_calibration(const std::string& folder, const Device& device) {
  NNVK_ASSIGN(const std::vector<std::byte> bytes, read_cache_file(path_of(folder, device), stamp_for(device), kLargestFile));
  ByteReader reader(bytes);
  std::map<CostClass, CostRates> rates;
  const auto count = reader.value<uint32_t>();
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    CostClass kind;
    kind.family = reader.value<CostFamily>();
    kind.is_8bit = reader.value<uint8_t>() != 0;
    kind.channels_first = reader.value<uint8_t>() != 0;
    kind.kernel = reader.value<uint8_t>() != 0 ? KernelKind::kReference : KernelKind::kOwn;
    CostRates& of_class = rates[kind];
    for (double& rate : of_class) {
      rate = reader.value<double>();
      if (!std::isfinite(rate) || rate < 0) return fail(Code::kOpFailed, "a rate is no time");
    }
  }
  if (!reader.ok() || rates.empty()) return fail(Code::kOpFailed, "it ends early or is empty");
  return rates;
}

Result<std::string> keep_calibration(const std::string& folder, const Device& device, const Calibration& calibration) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // what is wrong shows when the file is written
  ByteWriter writer;
  writer.value(static_cast<uint32_t>(calibration.rates.size()));
  for (const auto& [kind, rates] : calibration.rates) {
    writer.value(kind.family);
    writer.value(static_cast<uint8_t>(kind.is_8bit));
    writer.value(static_cast<uint8_t>(kind.channels_first));
    writer.value(static_cast<uint8_t>(kind.kernel));
    for (const double rate : rates) writer.value(rate);
  }
  std::string path = path_of(folder, device);
  NNVK_TRY(replace_cache_file(path, stamp_for(device), writer.view()));
  return path;
}

}  // namespace nnvk
