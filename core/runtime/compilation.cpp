// Implements the settings of a compilation, and the steps that compile a model.
#include "core/runtime/compilation.h"

#include <algorithm>
#include <set>

#include "core/base/deadline.h"
#include "core/base/log.h"
#include "core/base/shortest_text.h"
#include "core/plan/named_shapes.h"
#include "core/plan/plan_builder.h"
#include "core/plan/resolve.h"
#include "core/plan/segments.h"
#include "core/runtime/memory.h"
#include "core/runtime/partition_log.h"
#include "core/runtime/placement.h"
#include "core/runtime/shape_preparation.h"

namespace nnvk {
namespace {

constexpr int32_t kPreferenceCount = 3;

std::vector<OperandInfo> infos_of(const Model& model, const std::vector<uint32_t>& indexes) {
  std::vector<OperandInfo> infos;
  infos.reserve(indexes.size());
  for (const uint32_t index : indexes) infos.push_back(model.operands()[index].info);
  return infos;
}

// Fails for windows that do not exceed their padding, because every execution would fail
// (docs/nnapi/compilation.md#known-shapes). Does not check branches and bodies: they may never run.
Status check_what_is_known(const Plan& plan, const HostEvaluator& evaluator) {
  const auto resolution = resolve_declared(plan, evaluator);
  if (resolution || !resolution.error().is_refused_early) return {};
  return fail(resolution.error());
}

// Fails for the first set of named shapes with which an operation cannot work. A plan whose shapes depend on values is not
// checked.
Status check_named_shapes(const Plan& plan, const HostEvaluator& evaluator, std::span<const std::vector<Shape>> named) {
  for (size_t n = 0; n < named.size(); ++n) {
    const auto bindings = named_bindings(plan, named[n]);
    if (!bindings) {
      log_line(LogLevel::kInfo, "CompilationBuilder", "nothing is compiled for named shapes: values of inputs decide shapes");
      return {};
    }
    const auto resolution = resolve(plan, bindings->inputs, bindings->outputs, evaluator);
    if (resolution) continue;
    return fail(Code::kBadData, "set " + std::to_string(n) + " of the named shapes does not fit: " + resolution.error().text());
  }
  return {};
}

Status check_deadline(const PrepareOptions& options, const std::string& device) {
  if (!has_passed(options.deadline)) return {};
  return fail(Code::kMissedDeadlinePersistent, "the compilation's time was over before " + device + " could start");
}

// Collects the files behind constants that devices read in place, in referenced models too.
void collect_files(const Model& model, std::set<const Model*>& visited, std::set<std::shared_ptr<const ShrinkableFile>>& files) {
  if (!visited.insert(&model).second) return;
  for (const Operand& operand : model.operands()) {
    if (operand.model != nullptr) collect_files(*operand.model, visited, files);  // Model_finish limits the depth
    if (operand.memory == nullptr) continue;
    if (auto file = operand.memory->file_of_constants()) files.insert(std::move(file));
  }
}

std::vector<std::shared_ptr<const ShrinkableFile>> files_of_constants(const Model& model) {
  std::set<const Model*> visited;
  std::set<std::shared_ptr<const ShrinkableFile>> files;
  collect_files(model, visited, files);
  return {files.begin(), files.end()};
}

}  // namespace

Status add_attribute(ExtensionAttributes& attributes, ExtensionRegistry& extensions, const std::string& extension, uint16_t code,
                     std::span<const std::byte> data) {
  NNVK_TRY(extensions.code_of(extension, code));  // assigns a prefix to the name, as for types and operations
  const bool added = attributes.try_emplace({extension, code}, data.begin(), data.end()).second;
  if (added) return {};
  return fail(Code::kBadData, "attribute " + std::to_string(code) + " of extension \"" + extension + "\" was added already");
}

std::vector<bool> supported_operations(const Model& model, const std::vector<Device*>& devices) {
  std::vector<bool> supported(model.operations().size());
  const auto plan = build_plan(model);
  if (!plan) {
    log_line(LogLevel::kError, "Manager", "no device can answer: " + plan.error().text());
    return supported;
  }
  Groundworks groundworks;
  for (const Device* device : devices) {
    const std::vector<Placement> placements = place_on(*device, **plan, groundworks.of(*device));
    for (size_t n = 0; n < placements.size(); ++n) {
      if (placements[n].supported) supported[(*plan)->nodes[n].source_operation] = true;
    }
  }
  return supported;
}

Compilation::Compilation(const Model& model, Runtime& runtime) : Compilation(model, runtime, runtime.eligible_devices()) {
  explicit_ = false;
}

Compilation::Compilation(const Model& model, Runtime& runtime, std::vector<Device*> devices)
    : model_(model),
      runtime_(runtime),
      devices_(std::move(devices)),
      explicit_(true),
      input_infos_(infos_of(model, model.inputs())),
      output_infos_(infos_of(model, model.outputs())) {}

Status Compilation::require_open() const {
  if (!finished_) return {};
  return fail(Code::kBadState, "the compilation is finished and cannot change any more");
}

Status Compilation::require_ready() const {
  if (!finished_) return fail(Code::kBadState, "the compilation is not finished; call ANeuralNetworksCompilation_finish first");
  if (!finish_result_) return fail(Code::kBadState, "the compilation failed: " + finish_result_.error().text());
  return {};
}

Status Compilation::require_one_explicit_device(const char* what) const {
  if (explicit_ && devices_.size() == 1) return {};
  return fail(Code::kBadData, std::string(what) +
                                  " needs a compilation made by ANeuralNetworksCompilation_createForDevices with "
                                  "exactly one device");
}

Status Compilation::set_preference(int32_t preference) {
  NNVK_TRY(require_open());
  if (preference < 0 || preference >= kPreferenceCount) {
    return fail(Code::kBadData, "there is no preference " + std::to_string(preference));
  }
  options_.preference = preference;
  return {};
}

Status Compilation::set_priority(int32_t priority) {
  NNVK_TRY(require_open());
  if (priority != 90 && priority != 100 && priority != 110) {
    return fail(Code::kBadData, "there is no priority " + std::to_string(priority) + "; it is 90, 100 or 110");
  }
  options_.priority = priority;
  return {};
}

Status Compilation::set_caching(const std::string& directory, const uint8_t* token) {
  NNVK_TRY(require_open());
  caching_ = {};
  caching_.directory = directory;
  if (!directory.empty() && directory.back() != '/') caching_.directory += '/';
  std::copy(token, token + caching_.token.size(), caching_.token.begin());
  return {};
}

Status Compilation::set_caching_files(std::span<const int> model_files, std::span<const int> data_files, const uint8_t* token) {
  NNVK_TRY(require_open());
  CachingRequest request;
  std::copy(token, token + request.token.size(), request.token.begin());
  const auto duplicate = [](std::span<const int> files, std::vector<FileDescriptor>& copies) -> Status {
    for (const int file : files) {
      copies.push_back(FileDescriptor::duplicate(file));
      if (!copies.back()) return fail(Code::kBadData, "descriptor " + std::to_string(file) + " cannot be duplicated");
    }
    return {};
  };
  NNVK_TRY(duplicate(model_files, request.model_files));
  NNVK_TRY(duplicate(data_files, request.data_files));
  caching_ = std::move(request);
  return {};
}

Status Compilation::set_timeout(uint64_t nanoseconds) {
  NNVK_TRY(require_open());
  NNVK_TRY(require_one_explicit_device("a timeout"));
  timeout_nanoseconds_ = nanoseconds;
  return {};
}

Status Compilation::add_extension_attribute(const std::string& extension, uint16_t code, const void* data, size_t length) {
  NNVK_TRY(require_open());
  NNVK_TRY(require_one_explicit_device("an extension attribute"));
  return add_attribute(options_.attributes, runtime_.extensions(), extension, code,
                       {static_cast<const std::byte*>(data), length});
}

Status Compilation::add_input_shapes(std::span<const Shape> shapes) {
  NNVK_TRY(require_open());
  if (shapes.size() != input_infos_.size()) {
    return fail(Code::kBadData, "shapes of " + std::to_string(shapes.size()) + " inputs are named, but the model has " +
                                    std::to_string(input_infos_.size()));
  }
  if (named_shapes_.size() == kPreparedShapes) {
    return fail(Code::kBadData, "the compilation has " + std::to_string(kPreparedShapes) +
                                    " named sets of shapes already, and takes no more: name those that come first");
  }
  std::vector<Shape> set;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape& declared = input_infos_[i].shape;
    auto merged = merge_shapes(declared, shapes[i]);
    if (!merged || !merged->fully_known()) {
      return fail(Code::kBadData, "input " + std::to_string(i) + " is named as " + shapes[i].to_string() +
                                      (merged ? ", which leaves a size open that the model leaves open as well: "
                                              : ", which contradicts the model: ") +
                                      "it declares " + declared.to_string());
    }
    set.push_back(*std::move(merged));
  }
  named_shapes_.push_back(std::move(set));
  return {};
}

Status Compilation::finish() {
  NNVK_TRY(require_open());
  finished_ = true;
  // This remains the result if memory runs out and an exception leaves compile().
  finish_result_ = fail(Code::kOutOfMemory, "memory ran out during compilation");
  options_.deadline = deadline_after(timeout_nanoseconds_);
  finish_result_ = compile();
  return finish_result_;
}

Status Compilation::compile() {
  const auto puts_in_order = [](const Device* device) { return device->info().puts_filters_in_order; };
  const bool filters_may_wait = std::ranges::all_of(devices_, puts_in_order) && puts_in_order(&runtime_.fallback());
  NNVK_ASSIGN(const PlanPointer plan, build_plan(model_, filters_may_wait));
  NNVK_TRY(check_what_is_known(*plan, runtime_.evaluator()));
  NNVK_TRY(check_named_shapes(*plan, runtime_.evaluator(), named_shapes_));
  // Partitioning::kNone counts only if the client chose no devices (docs/nnapi/devices.md#partitioning-modes).
  const bool on_fallback = !explicit_ && runtime_.settings().partitioning == Partitioning::kNone;
  const auto log_fallback = [] {
    log_line(Detail::kCompilation, "CompilationBuilder", "CompilationBuilder::finish with CPU fallback");
  };
  if (on_fallback) log_fallback();
  auto ready = on_fallback ? prepare_on_fallback(plan, options_) : prepare_on_devices(plan);
  if (!ready) {
    const Code code = ready.error().code;
    const bool is_final = on_fallback || code == Code::kUnexpectedNull || code == Code::kBadData;
    if (is_final || !may_fall_back()) return fail(std::move(ready).error());
    log_line(LogLevel::kWarning, "CompilationBuilder", ready.error().text() + "; falling back to the CPU");
    log_fallback();
    ready = prepare_on_fallback(plan, options_);
  }
  if (!ready) return fail(std::move(ready).error());
  ready_ = *std::move(ready);
  NNVK_TRY(prepare_named_shapes());
  inputs_read_by_host_ = nnvk::inputs_read_by_host(*plan);
  constant_files_ = files_of_constants(model_);
  log_parts();
  return {};
}

Status Compilation::prepare_named_shapes() const {
  auto* const runner = dynamic_cast<PreparesShapes*>(ready_.runner.get());
  if (runner == nullptr) return {};  // nothing to compile
  for (const std::vector<Shape>& named : named_shapes_) {
    const Status prepared = runner->prepare_shapes(named, options_.deadline);
    if (prepared) continue;
    if (!may_fall_back()) return prepared;
    log_line(LogLevel::kWarning, "CompilationBuilder",
             "executions with named shapes may run on the CPU: " + prepared.error().text());
  }
  return {};
}

Result<PreparedDeployment> Compilation::prepare_on_devices(const PlanPointer& plan) const {
  const auto is_unavailable = [](const Device* device) { return !device->info().why_unavailable.empty(); };
  if (std::ranges::all_of(devices_, is_unavailable)) {
    const DeviceInfo& first = devices_.front()->info();
    return fail(Error(Code::kUnavailableDevice, first.why_unavailable).on_device(first.name));
  }
  Groundworks groundworks;
  const PlanPointer simple = simplify_before_cutting(plan, runtime_.evaluator());
  const LoggedChoice logged{model_, devices_, explicit_ ? devices_ : runtime_.devices()};
  log_candidates(logged, *simple, groundworks);
  NNVK_ASSIGN(const Deployment deployment, deploy(simple, devices_, groundworks));
  log_deployment(logged, deployment);
  const size_t first = std::min(deployment.partitions.front().device, devices_.size() - 1);
  NNVK_TRY(check_deadline(options_, devices_[first]->info().name));
  Device* const rescue = may_fall_back() ? &runtime_.fallback() : nullptr;
  const auto cache = [this](const Device& device, const Plan& step, bool is_whole) { return cache_for(device, step, is_whole); };
  return prepare_deployment(deployment, {.devices = devices_,
                                         .rescue = rescue,
                                         .options = options_,
                                         .evaluator = runtime_.evaluator(),
                                         .launches = runtime_.launches(),
                                         .cache_for = cache,
                                         .groundworks = &groundworks});
}

Result<PreparedDeployment> Compilation::prepare_on_fallback(const PlanPointer& plan, const PrepareOptions& options) const {
  Device* const devices[] = {&runtime_.fallback()};
  NNVK_TRY(check_deadline(options, runtime_.fallback().info().name));
  NNVK_ASSIGN(const Deployment deployment, deploy(simplify_before_cutting(plan, runtime_.evaluator()), devices));
  return prepare_deployment(deployment, {.devices = devices,
                                         .options = options,
                                         .evaluator = runtime_.evaluator(),
                                         .launches = runtime_.launches(),
                                         .times_every_condition = false});
}

Device& Compilation::picture_device() const {
  const auto converts = [](const Device* device) { return device->info().converts_pictures; };
  const auto first = std::ranges::find_if(ready_.devices, converts);
  return first != ready_.devices.end() ? **first : runtime_.fallback();
}

bool Compilation::takes_input_on_picture_device(size_t index) const {
  return ready_.parts.size() == 1 && ready_.parts[0].prepared == ready_.runner.get() && !inputs_read_by_host_[index] &&
         ready_.devices.front() == &picture_device();
}

Result<Recordability> Compilation::recordability_on(const Device& device) const {
  if (std::ranges::find(devices_, &device) == devices_.end()) {
    return fail(Code::kBadData, "the compilation was not made for " + device.info().name);
  }
  std::map<uint32_t, std::string> elsewhere;
  for (const PlanPart& part : parts()) {
    if (part.device == nullptr || part.device == &device) continue;
    for (const uint32_t operation : part.operations) elsewhere.emplace(operation, part.device->info().name);
  }
  NNVK_ASSIGN(const PlanPointer plan, build_plan(model_));
  return find_recordability(*simplify(plan, runtime_.evaluator()), elsewhere, runtime_.evaluator());
}

void Compilation::log_parts() const {
  const bool wanted = log_enabled(Detail::kCompilation);
  if (!wanted && !log_enabled(LogLevel::kInfo)) return;
  log_steps(model_, parts());
  const auto milliseconds = [](double seconds) { return shortest_text(static_cast<float>(seconds * 1e3)) + " ms"; };
  for (size_t i = 0; i < parts().size(); ++i) {
    const PlanPart& part = parts()[i];
    const Partition& costs = part.partition;
    const std::string place = part.device != nullptr ? part.device->info().name : "several devices (control flow)";
    const std::string line = "step " + std::to_string(i + 1) + " of " + std::to_string(parts().size()) + ": " +
                             std::to_string(part.operations.size()) + " operations on " + place + ", predicted " +
                             milliseconds(costs.predicted_seconds) + " and " + milliseconds(costs.transfer_seconds) +
                             " to start it and move " + std::to_string(costs.transfer_bytes) + " bytes";
    // NNVK_VLOG's lines appear whatever level NNVK_LOG has. Without the detail "compilation", this line has level INFO.
    wanted ? log_line(Detail::kCompilation, "ExecutionPlan", line) : log_line(LogLevel::kInfo, "ExecutionPlan", line);
    for (const uint32_t operation : part.operations) {
      const std::string name = model_.name_of(model_.operations()[operation]);
      log_line(Detail::kCompilation, "ExecutionPlan", "  " + name + " (operation " + std::to_string(operation) + ")");
    }
  }
}

Status Compilation::check_constant_files() const {
  for (const auto& file : constant_files_) {
    if (const Status status = file->check(); !status) {
      return fail(Code::kUnmappable, "constants of the model are gone: " + status.error().text());
    }
  }
  return {};
}

std::unique_ptr<CompilationCache> Compilation::cache_for(const Device& device, const Plan& plan, bool is_whole) const {
  CacheKeyParts parts;
  parts.token = caching_.token;
  parts.preference = options_.preference;
  parts.priority = options_.priority;
  parts.attributes = options_.attributes;
  if (!is_whole) {
    for (const PlanNode& node : plan.nodes) parts.operations.push_back(node.source_operation);
  }
  return open_cache(caching_, device, plan, std::move(parts));
}

Compilation::~Compilation() { shared_->waiting.wait_until_none(); }

std::string Compilation::device_names(bool of_fallback) const {
  if (of_fallback) return runtime_.fallback().info().name;
  std::string names;
  for (const Device* device : ready_.devices) names += (names.empty() ? "" : ", ") + device->info().name;
  return names;
}

bool Compilation::may_fall_back() const {
  return !explicit_ && runtime_.settings().partitioning != Partitioning::kWithoutFallback && !model_.has_vendor_operations();
}

Result<PreparedPlan*> Compilation::fallback() const {
  if (!may_fall_back())
    return fail(Code::kOpFailed, "there is no fallback to the CPU: the client chose the devices itself, " +
                                     std::string("it is switched off, or the model has vendor operations"));
  const std::lock_guard lock(shared_->fallback_mutex);
  if (shared_->fallback.runner == nullptr) {
    // The fallback run has no deadline, and default preference and priority (docs/nnapi/devices.md#fallback-at-execution).
    NNVK_ASSIGN(const PlanPointer plan, build_plan(model_));
    NNVK_ASSIGN(shared_->fallback, prepare_on_fallback(plan, PrepareOptions{}));
  }
  return shared_->fallback.runner.get();
}

}  // namespace nnvk
