#include "accelerators/table_driver.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "accelerators/table_compilation.h"
#include "core/base/log.h"
#include "core/base/out_of_memory.h"
#include "core/runtime/running_count.h"
#include "core/runtime/worker_pool.h"

#include <sys/mman.h>

namespace nnvk::accelerators {
namespace {

struct TableDevice {
  const ANeuralNetworksDevice* handle = nullptr;  // lives with the library
  DeviceDescription description;
};

// Copies a text of the library, with one character more than allowed at most, so that check_device() reports a name that is too
// long.
std::string text_of(const char* text) {
  return text != nullptr ? std::string(text, ::strnlen(text, kLongestName + 1)) : std::string();
}

PerformanceInfo figures_of(const SL_ANeuralNetworksPerformanceInfo& info) { return {info.execTime, info.powerUsage}; }

Result<std::vector<ExtensionDescription>> list_extensions(const SlTable& table, const ANeuralNetworksDevice* device) {
  uint32_t count = 0;
  NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_getVendorExtensionCount, device, &count));
  if (count > kMostExtensions)
    return fail(Code::kOpFailed, "a device may list at most " + std::to_string(kMostExtensions) + " extensions, but lists " +
                                     std::to_string(count));
  std::vector<ExtensionDescription> extensions;
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_getVendorExtensionName, device, i, &name));
    ExtensionDescription& extension = extensions.emplace_back();
    extension.name = text_of(name);
    const auto add = [](SL_ANeuralNetworksExtensionOperandTypeInformation info, void* context) {
      auto& types = *static_cast<std::vector<ExtensionType>*>(context);
      if (types.size() <= kMostExtensionTypes) types.push_back({info.type, info.isTensor, info.byteSize});
    };
    NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation, device, i,
                             &extension.operand_types, add));
  }
  return extensions;
}

Result<DeviceDescription> describe(const SlTable& table, const ANeuralNetworksDevice* device) {
  DeviceDescription description;
  const char* text = nullptr;
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksDevice_getName, device, &text));
  description.name = text_of(text);
  text = nullptr;
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksDevice_getVersion, device, &text));
  description.version = text_of(text);
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksDevice_getType, device, &description.type));
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksDevice_getFeatureLevel, device, &description.feature_level));
  const std::pair<int32_t, PerformanceInfo*> figures[] = {
      {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR, &description.relaxed_scalar},
      {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR, &description.relaxed_tensor},
      {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF, &description.if_overhead},
      {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE, &description.while_overhead}};
  for (const auto& [kind, figure] : figures) {
    SL_ANeuralNetworksPerformanceInfo info{};
    NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_getPerformanceInfo, device, kind, &info));
    *figure = figures_of(info);
  }
  const auto add = [](SL_ANeuralNetworksOperandPerformanceInfo info, void* context) {
    auto& operands = *static_cast<std::map<int32_t, PerformanceInfo>*>(context);
    if (operands.size() < kMostExtensionTypes) operands[info.operandType] = figures_of(info.performanceInfo);
  };
  NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo, device, &description.operands, add));
  NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded, device, &description.model_cache_files,
                           &description.data_cache_files));
  NNVK_ASSIGN(description.extensions, list_extensions(table, device));
  return description;
}

// Keeps a reason that a library gives in `context`, a vector of OperationSupport. Ignores reasons of other operations.
void keep_reason(uint32_t operation, const char* reason, void* context) {
  auto& supported = *static_cast<std::vector<OperationSupport>*>(context);
  if (reason == nullptr || operation >= supported.size() || supported[operation].supported) return;
  supported[operation].reason.assign(reason, ::strnlen(reason, kLongestReason));
}

// Lists the devices of the library that have a valid description (check_device()); logs all others. Truncates arrays and texts
// that are longer than any device needs.
Result<std::vector<TableDevice>> list_devices(const SlTable& table) {
  uint32_t count = 0;
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworks_getDeviceCount, &count));
  if (count > kMostDevices)
    return fail(Code::kOpFailed,
                "a plugin may list at most " + std::to_string(kMostDevices) + " devices, but lists " + std::to_string(count));
  std::vector<TableDevice> devices;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* handle = nullptr;
    NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworks_getDevice, i, &handle));
    auto description = describe(table, handle);
    const Status status = description ? check_device(*description) : fail(description.error());
    if (status) {
      devices.push_back({handle, *std::move(description)});
    } else {
      log_line(LogLevel::kWarning, "Plugin", "device " + std::to_string(i) + " is left out: " + status.error().text());
    }
  }
  return devices;
}

// Finds objects by their ids. It is thread-safe; an object lives as long as anyone uses it.
template <class Id, class Object>
class Registry {
 public:
  explicit Registry(uint64_t first_id) : last_(first_id - 1) {}

  Id add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    const Id id{++last_};
    objects_.emplace(id, std::move(object));
    return id;
  }
  std::shared_ptr<Object> find(Id id) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(id);
    return found != objects_.end() ? found->second : nullptr;
  }
  void remove(Id id) {
    typename std::map<Id, std::shared_ptr<Object>>::node_type gone;  // destroyed outside the lock: the library may be slow
    const std::lock_guard lock(mutex_);
    gone = objects_.extract(id);
  }

 private:
  mutable std::mutex mutex_;
  std::map<Id, std::shared_ptr<Object>> objects_;
  uint64_t last_;
};

class TableDriver final : public Driver {
 public:
  TableDriver(const SlTable& table, std::vector<TableDevice> devices, const TableDriverOptions& options)
      : table_(table),
        devices_(std::move(devices)),
        regions_(options.first_id),
        compilations_(options.first_id),
        memories_(options.first_id),
        objects_{[this](RegionId id) { return regions_.find(id); }, [this](MemoryId id) { return memories_.find(id); }},
        workers_(options.threads, "nnvk plugin") {}
  ~TableDriver() override { running_.wait_until_none(); }

  Result<std::vector<DeviceDescription>> devices() override {
    std::vector<DeviceDescription> descriptions;
    for (const TableDevice& device : devices_) descriptions.push_back(device.description);
    return descriptions;
  }
  uint64_t generation() const override { return 1; }

  Result<RegionId> share(const SharedMemory& memory) override {
    const int protection = PROT_READ | (memory.writable ? PROT_WRITE : 0);
    NNVK_ASSIGN(TableMemory object,
                NNVK_TABLE_OBJECT(table_, ANeuralNetworksMemory_createFromFd, ANeuralNetworksMemory_free,
                                  static_cast<size_t>(memory.size), protection, memory.fd, static_cast<size_t>(memory.offset)));
    return regions_.add(std::make_shared<const TableRegion>(TableRegion{std::move(object), memory.size}));
  }
  void unshare(RegionId region) override { regions_.remove(region); }

  Result<std::vector<OperationSupport>> supported_operations(uint32_t device, const ModelDescription& model) override {
    NNVK_TRY(check_model(model));
    NNVK_ASSIGN(const ANeuralNetworksDevice* const handle, handle_of(device));
    NNVK_ASSIGN(const BuiltModel built, build_model(table_, model, objects_.regions));
    // Receives the flags as bytes, because a plugin may write values other than true and false.
    static_assert(sizeof(bool) == 1);
    std::vector<uint8_t> flags(model.operations.size() + 1);
    NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_getSupportedOperationsForDevices, built.model.get(), &handle, 1,
                             reinterpret_cast<bool*>(flags.data())));
    std::vector<OperationSupport> supported;
    for (size_t i = 0; i < model.operations.size(); ++i) supported.push_back({flags[i] != 0});
    if (table_.explain != nullptr && !std::ranges::all_of(supported, &OperationSupport::supported)) {
      table_.explain(built.model.get(), handle, keep_reason, &supported);  // without reasons, the flags are the whole answer
    }
    return supported;
  }

  Result<CompiledModel> compile(const CompilationRequest& request) override {
    NNVK_TRY(check_model(request.model));
    NNVK_ASSIGN(const ANeuralNetworksDevice* const handle, handle_of(request.device));
    NNVK_ASSIGN(std::shared_ptr<TableCompilation> made, TableCompilation::create(table_, handle, request, objects_.regions));
    CompiledModel compiled;
    compiled.inputs = made->preferences(true);
    compiled.outputs = made->preferences(false);
    compiled.id = compilations_.add(std::move(made));
    return compiled;
  }
  void free_compilation(CompilationId compilation) override { compilations_.remove(compilation); }

  Result<MemoryId> allocate(const DeviceMemoryRequest& request) override {
    NNVK_ASSIGN(const TableMemoryDesc descriptor,
                NNVK_TABLE_OBJECT(table_, ANeuralNetworksMemoryDesc_create, ANeuralNetworksMemoryDesc_free));
    for (const MemoryRole& role : request.roles) {
      const auto compilation = compilations_.find(role.compilation);
      if (compilation == nullptr) return fail(Code::kBadData, "a role names no compilation of the driver");
      const auto add =
          role.is_input ? table_->ANeuralNetworksMemoryDesc_addInputRole : table_->ANeuralNetworksMemoryDesc_addOutputRole;
      NNVK_TRY(status_of(add(descriptor.get(), compilation->handle(), role.index, 1.0F),
                         role.is_input ? "ANeuralNetworksMemoryDesc_addInputRole" : "ANeuralNetworksMemoryDesc_addOutputRole"));
    }
    NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksMemoryDesc_finish, descriptor.get()));
    NNVK_ASSIGN(TableMemory memory, NNVK_TABLE_OBJECT(table_, ANeuralNetworksMemory_createFromDesc, ANeuralNetworksMemory_free,
                                                      static_cast<const ANeuralNetworksMemoryDesc*>(descriptor.get())));
    return memories_.add(std::make_shared<const TableMemory>(std::move(memory)));
  }
  void free_memory(MemoryId memory) override { memories_.remove(memory); }

  Status copy_to_memory(const SharedRange& from, MemoryId to) override {
    NNVK_ASSIGN(const auto region, whole_region(from));
    NNVK_ASSIGN(const auto memory, memory_of(to));
    return copy(region->memory.get(), memory->get());
  }
  Status copy_from_memory(MemoryId from, const SharedRange& to) override {
    NNVK_ASSIGN(const auto memory, memory_of(from));
    NNVK_ASSIGN(const auto region, whole_region(to));
    return copy(memory->get(), region->memory.get());
  }

  void execute(const ExecutionRequest& request, ExecutionDone done) override {
    const auto compilation = compilations_.find(request.compilation);
    if (compilation == nullptr) return done(failed(Code::kBadData, "there is no such compilation"));
    if (request.caller_waits) return done(run(*compilation, request));
    auto task = WorkerPool::make_task(compilation->priority(), [this, compilation, request, done] {
      ExecutionAnswer answer = run(*compilation, request);
      running_.leave();  // `done` may free the driver
      done(std::move(answer));
    });
    running_.enter();
    if (workers_.enqueue(std::move(task))) return;
    running_.leave();
    done(failed(Code::kResourceExhaustedTransient, "no thread is left"));
  }

 private:
  // Runs an execution; the caller receives an answer in every case.
  ExecutionAnswer run(const TableCompilation& compilation, const ExecutionRequest& request) const noexcept {
    ExecutionAnswer answer;
    const Status ran = catch_out_of_memory([&] { answer = compilation.run(request, objects_); });
    return ran ? std::move(answer) : failed(Code::kOutOfMemory, "memory ran out");
  }
  static ExecutionAnswer failed(Code code, const char* message) { return {.code = code, .message = message}; }

  Result<const ANeuralNetworksDevice*> handle_of(uint32_t device) const {
    if (device < devices_.size()) return devices_[device].handle;
    return fail(Code::kBadData, "the plugin has no device " + std::to_string(device));
  }
  Result<std::shared_ptr<const TableMemory>> memory_of(MemoryId id) const {
    if (auto memory = memories_.find(id)) return memory;
    return fail(Code::kBadData, "there is no such memory of the device");
  }
  // Finds a region for a copy, which must be whole: NNAPI copies only whole memories.
  Result<std::shared_ptr<const TableRegion>> whole_region(const SharedRange& range) const {
    auto region = regions_.find(range.region);
    if (region != nullptr && range.offset == 0 && range.length == region->size) return region;
    return fail(Code::kBadData, "memory of the device can be copied only as a whole");
  }
  Status copy(const ANeuralNetworksMemory* from, const ANeuralNetworksMemory* to) const {
    return NNVK_TABLE_CALL(table_, ANeuralNetworksMemory_copy, from, to);
  }

  const SlTable table_;
  const std::vector<TableDevice> devices_;
  Registry<RegionId, const TableRegion> regions_;
  Registry<CompilationId, const TableCompilation> compilations_;
  Registry<MemoryId, const TableMemory> memories_;
  const TableObjects objects_;
  RunningCount running_;
  WorkerPool workers_;  // destroyed first
};

}  // namespace

Result<std::unique_ptr<Driver>> load_table_driver(const std::string& library, const TableDriverOptions& options) {
  NNVK_ASSIGN(const SlTable table, load_table(library));
  return make_table_driver(table, options);
}

Result<std::unique_ptr<Driver>> make_table_driver(const SlTable& table, const TableDriverOptions& options) {
  NNVK_ASSIGN(std::vector<TableDevice> devices, list_devices(table));
  return std::unique_ptr<Driver>(std::make_unique<TableDriver>(table, std::move(devices), options));
}

}  // namespace nnvk::accelerators
