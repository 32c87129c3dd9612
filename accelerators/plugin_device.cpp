#include "accelerators/plugin_device.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "accelerators/constant_arena.h"
#include "accelerators/driver_memory.h"
#include "accelerators/performance.h"
#include "accelerators/plugin_cache.h"
#include "accelerators/plugin_context.h"
#include "accelerators/plugin_memory.h"
#include "accelerators/plugin_plan.h"
#include "core/base/deadline.h"
#include "core/base/log.h"
#include "core/base/shortest_text.h"
#include "core/operations/operation_definition.h"
#include "core/plan/segments.h"
#include "core/runtime/placement.h"

namespace nnvk::accelerators {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kDeclined = "the driver declined it without giving a reason";

// Attempts per compilation. A lost driver may restart at once, or after a pause of up to a second.
constexpr int kMostAttempts = 3;
constexpr std::chrono::seconds kLongestPause{2};

// Repeats `attempt` while the driver is lost, because its loss proves nothing about the model.
template <class Attempt>
Status persist(Driver& driver, const std::optional<Clock::time_point>& deadline, Attempt attempt) {
  Status status;
  for (int i = 0; i < kMostAttempts; ++i) {
    const auto limit = Clock::now() + kLongestPause;
    driver.wait_out_pause(deadline ? std::min(*deadline, limit) : limit);
    status = attempt();
    if (status || status.error().code != Code::kDeadObject || has_passed(deadline)) break;
  }
  return status;
}

// Returns whether the error proves nothing about the model, because the driver did not answer.
bool is_no_answer(Code code) {
  switch (code) {
    case Code::kDeadObject:
    case Code::kUnavailableDevice:
    case Code::kOutOfMemory:
    case Code::kMissedDeadlineTransient:
    case Code::kMissedDeadlinePersistent:
    case Code::kResourceExhaustedTransient:
    case Code::kResourceExhaustedPersistent:
      return true;
    default:
      return false;
  }
}

// Returns the error with which a plugin's device answers. If a model that passed our checks fails, the plugin is at fault. The
// CPU does not step in for codes that blame the client, such as BAD_DATA, so OP_FAILED replaces them. UNAVAILABLE_DEVICE replaces
// DEAD_OBJECT, which means an object made on the driver.
Error as_fault_of_plugin(Error error) {
  switch (error.code) {
    case Code::kDeadObject:
      error.code = Code::kUnavailableDevice;
      break;
    case Code::kUnexpectedNull:
    case Code::kBadData:
    case Code::kBadState:
    case Code::kIncomplete:
      error.code = Code::kOpFailed;
      break;
    default:
      break;
  }
  return error;
}

std::string type_text(int32_t type) { return operand_type_name(static_cast<OperandType>(type)); }

class PluginDevice final : public Device {
 public:
  PluginDevice(std::shared_ptr<PluginContext> context, const PluginOrigin& origin, const CostModel& cpu)
      : context_(std::move(context)), costs_(cpu) {
    costs_.use({.rates = {}, .transfers = kTransfersByCopies});
    const DeviceDescription& said = context_->description;
    info_.name = origin.name + "/" + said.name;
    info_.version = said.version;
    info_.type = static_cast<DeviceType>(said.type);
    info_.feature_level = said.feature_level;
    info_.properties = origin.properties;
    info_.caches = said.model_cache_files + said.data_cache_files > 0;
    info_.cache_identity = "plugin " + origin.name;
    info_.kernels_version = said.version;
    info_.extensions = said.extensions;
    info_.places_all_extension_operations = true;
    info_.converts_pictures = false;  // drivers know only NNAPI's operations
    const auto add_figure = [&](const std::string& name, const PerformanceInfo& info) {
      info_.properties.push_back({"performance", name, shortest_text(info.execution_time) + " times the CPU's time"});
    };
    for (const auto& [type, figure] : said.operands) add_figure(type_text(type), figure);
    add_figure("relaxed TENSOR_FLOAT32", said.relaxed_tensor);
  }

  const DeviceInfo& info() const override { return info_; }
  CostModel* costs() override { return &costs_; }
  std::unique_ptr<Groundwork> begin_groundwork() const override { return std::make_unique<ConstantArenas>(); }
  std::vector<Placement> place(const Plan& plan, Groundwork* groundwork) const override;
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override;

  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override {
    // If a driver has no memory for these roles, executions use shared memory.
    if (auto memory = allocate_on_driver(request)) return std::unique_ptr<DeviceMemory>(*std::move(memory));
    return PluginMemory::create(context_, request);
  }
  // Measures nothing: a plugin's device can only run models.
  Result<Ceilings> measure_ceilings() override { return Ceilings{}; }

 private:
  Result<std::unique_ptr<DriverMemory>> allocate_on_driver(const MemoryRequest& request);
  Status ask(const Plan& plan, std::span<const uint32_t> nodes, Groundwork* groundwork, std::vector<Placement>& placements) const;

  const std::shared_ptr<PluginContext> context_;
  DeviceInfo info_;
  CostModel costs_;
};

Result<std::unique_ptr<DriverMemory>> PluginDevice::allocate_on_driver(const MemoryRequest& request) {
  if (request.roles.empty() || request.grows) return fail(Code::kOpFailed, "the memory must have a role");
  DriverMemory::Roles roles;
  for (const nnvk::MemoryRole& role : request.roles) {
    auto* const plan = dynamic_cast<PluginPlan*>(const_cast<PreparedPlan*>(role.plan));
    if (plan == nullptr) return fail(Code::kOpFailed, "a role may not belong to a plan in steps");
    NNVK_ASSIGN(const CompilationId id, plan->driver_id());
    roles.emplace_back(role, id);
  }
  return DriverMemory::create(context_, request.size, std::move(roles));
}

// Asks the driver which operations of a model with only these nodes it supports.
Status PluginDevice::ask(const Plan& plan, std::span<const uint32_t> nodes, Groundwork* groundwork,
                         std::vector<Placement>& placements) const {
  // If other nodes are left out, the driver gets a smaller plan.
  const auto part = nodes.size() == plan.nodes.size() ? nullptr : extract_step(plan, nodes).plan;
  const Plan& asked = part != nullptr ? *part : plan;
  NNVK_ASSIGN(const auto constants, arena_for(context_->driver, asked, groundwork));
  NNVK_ASSIGN(const ModelDescription model, describe_plan(asked, *constants));
  NNVK_ASSIGN(std::vector<OperationSupport> supported, context_->driver->supported_operations(context_->device, model));
  if (supported.size() != nodes.size()) {
    return fail(Code::kOpFailed, "the plugin answered for " + std::to_string(supported.size()) + " of " +
                                     std::to_string(nodes.size()) + " operations");
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    Placement& placement = placements[nodes[i]];
    placement = {supported[i].supported, std::move(supported[i].reason), 0};
    if (!placement.supported && placement.reason.empty()) placement.reason = kDeclined;
    const PlanNode& node = plan.nodes[nodes[i]];
    if (!placement.supported || node.is_view) continue;
    const NodeView view = declared_view(plan, node);
    placement.predicted_seconds = costs_.predicted_seconds(view.view(), KernelKind::kOwn);
    // Measured costs are the device's own. Assumed costs are the CPU's, which the plugin's figures scale.
    if (!costs_.is_measured()) placement.predicted_seconds *= relative_time(context_->description, plan, node);
  }
  return {};
}

std::vector<Placement> PluginDevice::place(const Plan& plan, Groundwork* groundwork) const {
  std::vector<Placement> placements(plan.nodes.size());
  std::vector<uint32_t> offered;
  for (uint32_t n = 0; n < plan.nodes.size(); ++n) {
    placements[n].reason = reason_not_offered(info_, plan.nodes[n]);
    if (placements[n].reason.empty()) placements[n].reason = reason_not_describable(plan, plan.nodes[n]);
    if (placements[n].reason.empty()) offered.push_back(n);
  }
  if (offered.empty()) return placements;
  auto* const arenas = dynamic_cast<ConstantArenas*>(groundwork);
  Status status;
  if (arenas != nullptr && arenas->no_answer) {
    status = fail(*arenas->no_answer);
  } else {
    status = persist(*context_->driver, std::nullopt, [&] { return ask(plan, offered, groundwork, placements); });
    if (arenas != nullptr && !status && is_no_answer(status.error().code)) arenas->no_answer = status.error();
  }
  // Older drivers reject the whole model because of one operation: then ask about each operation alone.
  if (!status && status.error().code == Code::kBadData && offered.size() > 1) {
    status = {};
    for (const uint32_t n : offered) {
      if (const Status alone = ask(plan, std::span(&n, 1), groundwork, placements); !alone) {
        placements[n] = {false, "the plugin finds it wrong: " + alone.error().text(), 0};
      }
    }
  }
  if (!status) {
    for (const uint32_t n : offered) {
      placements[n] = {false, "the plugin gave no answer: " + status.error().text(), 0};
      placements[n].is_unanswered = is_no_answer(status.error().code);
    }
  }
  return placements;
}

Result<std::unique_ptr<PreparedPlan>> PluginDevice::prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) {
  if (has_passed(options.deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the compilation deadline passed before the plan was prepared");
  }
  for (const PlanNode& node : plan->nodes) {
    if (std::string reason = reason_not_describable(*plan, node); !reason.empty()) {
      return fail(Error(Code::kOpFailed, std::move(reason)).at(plan->place_of(node)));
    }
  }
  const CompilationRequest request{.device = context_->device,
                                   .preference = options.preference,
                                   .priority = options.priority,
                                   .deadline = options.deadline,
                                   .attributes = options.attributes};
  const auto cache = PluginCache::open(context_->description, *plan, options.cache);
  std::unique_ptr<PluginPlan> prepared;
  const Status compiled = persist(*context_->driver, options.deadline, [&]() -> Status {
    NNVK_ASSIGN(auto constants, arena_for(context_->driver, *plan, options.groundwork));
    prepared = std::make_unique<PluginPlan>(context_, plan, std::move(constants), request);
    return prepared->compile(cache ? std::optional(cache->files()) : std::nullopt);
  });
  if (!compiled && as_fault_of_plugin(compiled.error()).code == Code::kOpFailed) {
    const std::vector<Placement> placements = place(*plan, options.groundwork);
    for (size_t n = 0; n < placements.size(); ++n) {
      if (placements[n].supported) continue;
      return fail(Error(Code::kOpFailed, placements[n].reason).at(plan->place_of(plan->nodes[n])));
    }
  }
  if (!compiled) return fail(as_fault_of_plugin(compiled.error()));
  if (cache) cache->keep(*plan);
  return std::unique_ptr<PreparedPlan>(std::move(prepared));
}

}  // namespace

Result<std::vector<std::unique_ptr<Device>>> make_plugin_devices(const std::shared_ptr<Driver>& driver,
                                                                 const PluginOrigin& origin,
                                                                 const PluginSurroundings& surroundings) {
  NNVK_ASSIGN(const std::vector<DeviceDescription> descriptions, driver->devices());
  std::vector<std::unique_ptr<Device>> devices;
  for (size_t i = 0; i < descriptions.size(); ++i) {
    if (const Status status = check_device(descriptions[i]); !status) {
      log_line(LogLevel::kWarning, "Plugin", "plugin " + origin.name + ": " + status.error().text() + "; it is left out");
      continue;
    }
    auto context = std::make_shared<PluginContext>();
    context->driver = driver;
    context->device = static_cast<uint32_t>(i);
    context->description = descriptions[i];
    context->evaluator = surroundings.evaluator;
    devices.push_back(std::make_unique<PluginDevice>(std::move(context), origin, surroundings.cpu));
  }
  return devices;
}

}  // namespace nnvk::accelerators
