#include "clients/onnxruntime_provider/kept_trials.h"

#include <android/NeuralNetworks.h>

#include <cstdlib>
#include <fstream>
#include <locale>
#include <thread>
#include <vector>

#include "clients/onnxruntime_provider/graph_bytes.h"
#include "tools/nnapi/files.h"

#include <dlfcn.h>
#include <unistd.h>

namespace nnvk::clients::onnxruntime {
namespace {

namespace fs = std::filesystem;

// A file begins with this word, the version of its contents. Two times in nanoseconds follow: on nnvk, and of the runtime.
constexpr const char* kHeading = "nnvk-trial-1";
constexpr size_t kShortConstant = 1024;  // bytes

std::string variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value == nullptr ? std::string() : value;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name") || line.starts_with("CPU part")) return line;
  }
  return {};
}

// Another build of the library has another size or age.
std::string library_version() {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<void*>(&ANeuralNetworks_getRuntimeFeatureLevel), &library) == 0) return {};
  std::error_code ignored;
  const fs::path path = library.dli_fname;
  return std::to_string(fs::file_size(path, ignored)) + " " +
         std::to_string(fs::last_write_time(path, ignored).time_since_epoch().count());
}

}  // namespace

fs::path user_trials_folder() {
  const std::string cache = variable("XDG_CACHE_HOME");
  if (cache.starts_with('/')) return fs::path(cache) / "nnvk" / "trials";
  const std::string home = variable("HOME");
  if (home.starts_with('/')) return fs::path(home) / ".cache" / "nnvk" / "trials";
  return {};
}

importers::CacheToken trial_token(const Graph& graph, const PluginOptions& options, const DeviceChoice& devices,
                                  const std::string& runtime_version) {
  Graph without_weights = graph;
  for (Value& value : without_weights.values) {
    if (value.data.size() > kShortConstant) value.data = {};
  }
  std::vector<std::string> texts{to_bytes(without_weights),
                                 processor_name(),
                                 std::to_string(std::thread::hardware_concurrency()),
                                 variable("NNVK_CPU_THREADS"),
                                 runtime_version,
                                 library_version(),
                                 options.relaxed ? "relaxed" : "exact",
                                 devices.automatic ? "automatic" : "chosen"};
  for (const tools::DeviceEntry& device : devices.entries) {
    texts.push_back(device.name);
    texts.push_back(device.version);
  }
  return importers::text_token(texts);
}

std::optional<ComparedTimes> KeptTrials::find(const importers::CacheToken& token) const {
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(token);
    if (known != known_.end()) return known->second;
  }
  if (folder_.empty()) return std::nullopt;
  std::ifstream file(file_of(token));
  file.imbue(std::locale::classic());  // the application may have set another one
  std::string heading;
  int64_t on_device = 0;
  int64_t staying = 0;
  std::string rest;
  if (!(file >> heading >> on_device >> staying) || heading != kHeading || file >> rest) return std::nullopt;
  if (on_device <= 0 || staying <= 0) return std::nullopt;
  return ComparedTimes{static_cast<double>(on_device) * 1e-9, static_cast<double>(staying) * 1e-9, true, {}};
}

void KeptTrials::keep(const importers::CacheToken& token, const ComparedTimes& times) const {
  {
    const std::lock_guard lock(mutex_);
    known_.insert_or_assign(token, times);
  }
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path file = file_of(token);
  fs::path draft = file;  // renamed when it is whole, so that no process reads half of it
  draft += "." + std::to_string(::getpid());
  const auto nanoseconds = [](double seconds) { return std::to_string(static_cast<int64_t>(seconds * 1e9)); };
  const std::string text = std::string(kHeading) + " " + nanoseconds(times.on_device) + " " + nanoseconds(times.staying) + "\n";
  if (tools::write_file(draft, text)) fs::rename(draft, file, error);
  fs::remove(draft, error);
}

fs::path KeptTrials::file_of(const importers::CacheToken& token) const {
  std::string name;
  for (const uint8_t byte : token) {
    constexpr const char* kDigits = "0123456789abcdef";
    name += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return folder_ / (name + ".trial");
}

}  // namespace nnvk::clients::onnxruntime
