#include "accelerators/plugins.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/library_pin.h"
#include "core/base/log.h"
#include "core/base/out_of_memory.h"
#include "core/base/thread.h"
#include "core/base/trace.h"

namespace nnvk::accelerators {
namespace {

using Clock = std::chrono::steady_clock;

// Writes the text to the trace. Names of trace sections have a limited length, so each part of the text becomes a section.
void trace_confinement(std::string_view confinement) {
  while (!confinement.empty()) {
    const size_t end = std::min(confinement.find("; "), confinement.size());
    const trace::Section told("[NN_LR_PI]plugin confinement: ", confinement.substr(0, end));
    confinement.remove_prefix(std::min(end + 2, confinement.size()));
  }
}

Result<DeviceList> start(const Manifest& manifest, const PluginStarts& starts, const PluginSurroundings& surroundings) {
  const trace::Section section("[NN_LR_PI]plugin ", manifest.name);
  const bool is_in_host = manifest.isolation == Isolation::kProcess;
  NNVK_ASSIGN(std::shared_ptr<Driver> driver, (is_in_host ? starts.in_host : starts.in_process)(manifest));
  NNVK_TRY(driver->devices());  // starts the driver
  const std::string confinement = is_in_host ? driver->confinement() : "none: the plugin is part of this process";
  trace_confinement(confinement);
  const PluginOrigin origin{manifest.name,
                            {{"plugin", "manifest", manifest.file},
                             {"plugin", "library", manifest.driver_library},
                             {"plugin", "isolation", is_in_host ? "a process of its own" : "in this process"},
                             {"plugin", "confinement", confinement}}};
  return make_plugin_devices(driver, origin, surroundings);
}

void log_plugin(LogLevel level, const Manifest& manifest, const std::string& what) {
  log_line(level, "Plugin", "plugin " + manifest.name + " (" + manifest.file + ") " + what);
}

struct Entry {
  PluginReport report;
  std::optional<Result<DeviceList>> answer;  // until settle() takes it
  bool has_answered = false;
};

// State that the object shares with its threads: a thread may outlive the object.
struct Shared {
  Shared(PluginStarts how, PluginSurroundings around) : starts(std::move(how)), surroundings(std::move(around)) {}

  const PluginStarts starts;
  const PluginSurroundings surroundings;
  mutable std::mutex mutex;  // guards the members below
  std::condition_variable answered;
  std::vector<Entry> entries;
  std::mutex taking_mutex;  // held while a thread calls `take` or changes it
  std::function<void(DeviceList)> take;
  bool is_closed = false;
};

// Turns the entry's answer into devices, and updates its report. Call it with the lock.
DeviceList settle(Entry& entry) {
  PluginReport& report = entry.report;
  Result<DeviceList> answer = *std::exchange(entry.answer, std::nullopt);
  report.is_late = false;
  report.not_used.clear();
  if (!answer) {
    report.not_used = answer.error().text();
    log_plugin(LogLevel::kWarning, report.manifest, "is left out: " + report.not_used);
    return {};
  }
  if (answer->empty()) report.not_used = "it has no devices";
  for (const auto& device : *answer) report.devices.push_back(device->info().name);
  return *std::move(answer);
}

// Passes the devices of late plugins that have answered to `take`, once that is set.
void hand_on(Shared& shared) {
  const std::lock_guard taking(shared.taking_mutex);
  if (shared.is_closed || !shared.take) return;
  DeviceList devices;
  {
    const std::lock_guard lock(shared.mutex);
    for (Entry& entry : shared.entries) {
      if (!entry.report.is_late || !entry.answer) continue;
      for (auto& device : settle(entry)) devices.push_back(std::move(device));
      if (entry.report.not_used.empty()) log_plugin(LogLevel::kInfo, entry.report.manifest, "is there now");
    }
  }
  if (!devices.empty()) shared.take(std::move(devices));
}

void take_answer(Shared& shared, size_t index, Result<DeviceList> answer) {
  const std::lock_guard lock(shared.mutex);
  shared.entries[index].answer = std::move(answer);
  shared.entries[index].has_answered = true;
  shared.answered.notify_all();
}

void load(Shared& shared, size_t index) {
  Manifest manifest;
  {
    const std::lock_guard lock(shared.mutex);
    manifest = shared.entries[index].report.manifest;
  }
  take_answer(shared, index, catch_out_of_memory([&] { return start(manifest, shared.starts, shared.surroundings); }));
}

class Loading final : public PluginLoading {
 public:
  Loading(const std::vector<FoundManifest>& found, const PluginStarts& starts, const PluginSurroundings& surroundings)
      : shared_(std::make_shared<Shared>(starts, surroundings)), hold_(hold_library()) {
    for (const FoundManifest& entry : found) {
      shared_->entries.push_back({PluginReport{entry.manifest, false, entry.not_used, {}}, std::nullopt, false});
      if (entry.is_mistake) log_line(LogLevel::kWarning, "Plugin", "no plugin: " + entry.not_used);
    }
    threads_.reserve(found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      if (!found[i].not_used.empty()) continue;
      const Status begun = catch_out_of_memory([&] { begin(i); });
      if (!begun) take_answer(*shared_, i, fail(begun.error()));
    }
  }

  // Joins the threads that have answered and detaches all others, which keep the library loaded. Does not wait for those.
  ~Loading() override {
    {
      const std::lock_guard taking(shared_->taking_mutex);
      shared_->is_closed = true;
    }
    join_answered();
    for (auto& [index, thread] : threads_) thread.detach();
  }

  DeviceList wait() override {
    DeviceList devices;
    std::unique_lock lock(shared_->mutex);
    for (Entry& entry : shared_->entries) {
      PluginReport& report = entry.report;
      if (!report.not_used.empty()) continue;
      const unsigned patience = report.manifest.load_patience_seconds;
      shared_->answered.wait_until(lock, began_ + std::chrono::seconds(patience), [&] { return entry.has_answered; });
      if (entry.answer) {
        for (auto& device : settle(entry)) devices.push_back(std::move(device));
        continue;
      }
      report.is_late = true;
      report.not_used = "it is not there yet: it has not answered within " + std::to_string(patience) +
                        " s (load_patience_seconds); its devices are added when it has";
      log_plugin(LogLevel::kWarning, report.manifest, "is left out for now: " + report.not_used);
    }
    lock.unlock();
    join_answered();
    hold_.reset();
    return devices;
  }

  void hand_on_late(std::function<void(DeviceList)> take) override {
    {
      const std::lock_guard taking(shared_->taking_mutex);
      shared_->take = std::move(take);
    }
    hand_on(*shared_);
  }

  std::vector<PluginReport> reports() const override {
    const std::lock_guard lock(shared_->mutex);
    std::vector<PluginReport> reports;
    for (const Entry& entry : shared_->entries) reports.push_back(entry.report);
    return reports;
  }

 private:
  void join_answered() {
    std::erase_if(threads_, [&](auto& entry) {
      auto& [index, thread] = entry;
      {
        const std::lock_guard lock(shared_->mutex);
        if (!shared_->entries[index].has_answered) return false;
      }
      thread.join();
      return true;
    });
  }

  std::shared_ptr<const void> hold_library() const {
    return shared_->starts.hold_library ? shared_->starts.hold_library() : nullptr;
  }

  void begin(size_t index) {
    auto hold = hold_library();
    auto thread = Thread::start("nnvk load", [shared = shared_, index, hold]() mutable {
      load(*shared, index);
      const Status handed_on = catch_out_of_memory([&] { hand_on(*shared); });
      if (!handed_on) log_line(LogLevel::kError, "Plugin", "a plugin that came late is left out: " + handed_on.error().text());
      shared = nullptr;
      const OnLibraryThread here;
      hold = nullptr;
    });
    if (thread) {
      threads_.emplace_back(index, *std::move(thread));
    } else {
      load(*shared_, index);  // no thread could start, so the caller loads
    }
  }

  const Clock::time_point began_ = Clock::now();
  const std::shared_ptr<Shared> shared_;
  // Until wait() has joined the threads: the last hold then ends on the caller's thread, and a caller that unloads the library
  // next really unloads it.
  std::shared_ptr<const void> hold_;
  std::vector<std::pair<size_t, Thread>> threads_;
};

}  // namespace

std::unique_ptr<PluginLoading> load_plugins(const std::vector<FoundManifest>& found, const PluginStarts& starts,
                                            const PluginSurroundings& surroundings) {
  return std::make_unique<Loading>(found, starts, surroundings);
}

std::unique_ptr<PluginLoading> find_and_load_plugins(const std::string& installed, const PluginStarts& starts,
                                                     const PluginSurroundings& surroundings) {
  const SearchSettings settings = read_search_settings();
  return load_plugins(choose_manifests(read_manifests(search_places(settings, installed)), settings), starts, surroundings);
}

}  // namespace nnvk::accelerators
