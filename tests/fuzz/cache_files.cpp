// Reads cache files of compilations and calibrations that hold any bytes. The bytes are the whole file, or contents with the
// right checksums around them.
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "accelerators/plugin_cache.h"
#include "core/base/byte_stream.h"
#include "core/runtime/calibration_file.h"
#include "core/runtime/compilation_cache.h"
#include "cpu_fallback/cpu_device.h"
#include "tests/fuzz/byte_source.h"
#include "tests/fuzz/surroundings.h"
#include "tests/support/plan_fixture.h"
#include "vulkan/recording/kept_preparation.h"

namespace nnvk::fuzz {
namespace {

// How the target uses the input.
enum class Form : uint8_t { kFile, kEntries, kVulkanEntry, kPluginEntry, kCalibration, kCount };

constexpr size_t kStampInHeader = 16;

struct Add : test::PlanFixture {
  Add() {
    const TensorId x = input({2});
    const TensorId y = output({2});
    node(OperationCode::kAdd, {x, x, scalar(0)}, {y});
  }
};

const Plan& some_plan() {
  static const std::shared_ptr<const Plan> plan = Add().plan();
  return *plan;
}

CacheStamp some_stamp() {
  CacheStamp stamp;
  stamp.model = 7;
  return stamp;
}

FileDescriptor memory_file() { return FileDescriptor(::memfd_create("fuzz", MFD_CLOEXEC)); }

// Returns the entry given to the constructor, and keeps nothing.
class OneEntry final : public PreparationCache {
 public:
  explicit OneEntry(std::span<const std::byte> entry) : entry_(entry) {}
  std::span<const std::byte> find(const Plan&) override { return entry_; }
  void keep(const Plan&, std::vector<std::byte>) override {}

 private:
  const std::span<const std::byte> entry_;
};

vulkan::DeviceSnapshot some_gpu() {
  vulkan::DeviceSnapshot gpu;
  gpu.vendor_id = 1;
  gpu.device_id = 2;
  return gpu;
}

void try_compilation_cache(int file) {
  CompilationCache cache(file, some_stamp(), some_plan());
  const auto entry = cache.find(some_plan());
  require(entry.size() < (size_t{1} << 20), "an entry is part of the file");
  cache.keep(some_plan(), {entry.begin(), entry.end()});
  cache.store();
  CompilationCache again(file, some_stamp(), some_plan());
  require(again.find(some_plan()).size() == entry.size(), "what was kept is found");
}

void try_vulkan_entry(std::span<const std::byte> entry) {
  const auto kept = vulkan::decode(entry, some_gpu());
  if (!kept) return;
  require(std::ranges::equal(vulkan::encode(*kept), entry), "what was decoded is encoded as the same bytes");
}

void try_plugin_entry(std::span<const std::byte> entry) {
  accelerators::DeviceDescription device;
  device.model_cache_files = 1;
  device.data_cache_files = 2;
  OneEntry cache(entry);
  const auto opened = accelerators::PluginCache::open(device, some_plan(), &cache);
  require(opened.has_value(), "a damaged entry is none");
  opened->keep(some_plan());
}

// A folder with a calibration that nnvk-cpu accepts.
struct Calibrated {
  Calibrated() : device(cpu::make_cpu_device({1, true})) {
    char name[] = "/tmp/nnvk_fuzz_XXXXXX";
    folder = ::mkdtemp(name);
    Calibration calibration;
    calibration.costs.rates[{}] = {};
    path = *keep_calibration(folder, device->info(), calibration);
    std::ifstream file(path, std::ios::binary);
    file.seekg(kStampInHeader);
    file.read(reinterpret_cast<char*>(&stamp), sizeof stamp);
  }
  ~Calibrated() { std::filesystem::remove_all(folder); }

  const std::unique_ptr<Device> device;
  std::string folder;
  std::string path;
  CacheStamp stamp;
};

void try_calibration(std::span<const std::byte> contents) {
  static const Calibrated calibrated;
  const FileDescriptor file(::open(calibrated.path.c_str(), O_RDWR | O_CLOEXEC));
  require(file && overwrite_cache_file(file.get(), calibrated.stamp, contents).has_value(), "the file is written");
  auto costs = read_calibration(calibrated.folder, calibrated.device->info());
  if (costs) calibrated.device->costs()->use(*std::move(costs));
  for (const Placement& placement : calibrated.device->place(some_plan(), nullptr)) {
    require(std::isfinite(placement.predicted_seconds) && placement.predicted_seconds >= 0, "predicted times are times");
  }
}

}  // namespace

void run(std::span<const std::byte> input) {
  static const bool is_settled = (settle_surroundings(), true);
  if (!is_settled || input.empty()) return;
  const auto form = static_cast<Form>(static_cast<uint8_t>(input[0]) % static_cast<uint8_t>(Form::kCount));
  const auto contents = input.subspan(1);
  const FileDescriptor file = memory_file();
  switch (form) {
    case Form::kFile:
      require(write_all(file.get(), contents, 0), "the file is written");
      return try_compilation_cache(file.get());
    case Form::kEntries:
      require(overwrite_cache_file(file.get(), some_stamp(), contents).has_value(), "the file is written");
      return try_compilation_cache(file.get());
    case Form::kVulkanEntry:
      return try_vulkan_entry(contents);
    case Form::kPluginEntry:
      return try_plugin_entry(contents);
    default:
      return try_calibration(contents);
  }
}

std::vector<Input> seeds() {
  const auto with = [](Form form, std::span<const std::byte> contents) {
    Input input(1 + contents.size(), static_cast<std::byte>(form));
    std::ranges::copy(contents, input.begin() + 1);
    return input;
  };
  std::vector<Input> made;
  // Files as the code writes them, and their contents.
  const FileDescriptor file = memory_file();
  CompilationCache cache(file.get(), some_stamp(), some_plan());
  cache.keep(some_plan(), Input(24, std::byte{3}));
  cache.store();
  Input bytes(4096);
  bytes.resize(static_cast<size_t>(::pread(file.get(), bytes.data(), bytes.size(), 0)));
  made.push_back(with(Form::kFile, bytes));
  constexpr size_t kHeader = 176;
  made.push_back(with(Form::kEntries, std::span(bytes).subspan(kHeader)));

  Input driver(40);
  const uint32_t words[] = {32, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, some_gpu().vendor_id, some_gpu().device_id};
  std::memcpy(driver.data(), words, sizeof words);
  vulkan::KeptPreparation kept;
  kept.driver_cache = driver;
  kept.pipelines = {{vulkan::KernelId{3}, vulkan::KernelVariant::kWords, {{1, 2}}}};
  kept.weights = {{0, "weights", driver}};
  made.push_back(with(Form::kVulkanEntry, vulkan::encode(kept)));

  ByteWriter plugin;
  plugin.value(uint32_t{3});
  for (int i = 0; i < 3; ++i) plugin.block(std::span(driver).first(8));
  made.push_back(with(Form::kPluginEntry, plugin.view()));

  ByteWriter calibration;
  calibration.reserve(256);
  const std::vector<double> transfers(3, 1e-6);
  calibration.bytes(std::as_bytes(std::span(transfers)));
  calibration.value(uint32_t{1});
  calibration.value(uint32_t{0});  // the kind, four bytes
  const std::vector<double> rates(std::tuple_size_v<CostRates>, 1e-9);
  calibration.bytes(std::as_bytes(std::span(rates)));
  made.push_back(with(Form::kCalibration, calibration.view()));
  return made;
}

}  // namespace nnvk::fuzz
