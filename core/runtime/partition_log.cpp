// Writes the partitioner's lines. The texts are those of ModelBuilder and ExecutionPlan in Android's runtime.
#include "core/runtime/partition_log.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/plan/segments.h"

namespace nnvk {
namespace {

bool is_wanted() { return log_enabled(Detail::kCompilation); }
void write(const std::string& text) { log_line(Detail::kCompilation, "ExecutionPlan", text); }

std::string name_of(const Model& model, const PlanNode& node) { return model.name_of(model.operations()[node.source_operation]); }

std::string index_and_name(const LoggedChoice& choice, const Device& device, const char* before_name, const char* behind_name) {
  const auto position = std::ranges::find(choice.listed, &device) - choice.listed.begin();
  return std::to_string(position) + before_name + device.info().name + behind_name;
}

// Logs the values between steps whose size only the execution determines.
void log_unknown_sizes(const Deployment& deployment) {
  for (const Partition& part : deployment.partitions) {
    for (const TensorId id : extract_step(*deployment.plan, part.nodes).outputs) {
      const PlanTensor& tensor = deployment.plan->tensors[id];
      if (tensor.role != TensorRole::kTemporary || tensor.info.shape.fully_known()) continue;
      write("StepModelOutput (operand#" + std::to_string(id) +
            " of source graph) has unknown size: " + operand_type_name(tensor.info.type) + " " + tensor.info.shape.to_string());
    }
  }
}

}  // namespace

void log_candidates(const LoggedChoice& choice, const Plan& plan, Groundworks& groundworks) {
  if (!is_wanted()) return;
  constexpr int kMainModel = 0;
  write("ModelBuilder::partitionTheWork: sourceModelIndex = " + std::to_string(kMainModel) + ", deviceCount = " +
        std::to_string(choice.candidates.size()) + ", operationCount = " + std::to_string(choice.model.operations().size()));
  for (const Device* device : choice.candidates) {
    const std::vector<Placement> placements = place_on(*device, plan, groundworks.of(*device));
    for (size_t n = 0; n < placements.size(); ++n) {
      if (placements[n].supported) continue;
      write("Device " + device->info().name + " can't do operation " + name_of(choice.model, plan.nodes[n]) + ": " +
            placements[n].reason);
    }
  }
}

void log_deployment(const LoggedChoice& choice, const Deployment& deployment) {
  if (!is_wanted()) return;
  const std::vector<PlanNode>& nodes = deployment.plan->nodes;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const size_t device = deployment.device_of[n];
    write("ModelBuilder::findBestDeviceForEachOperation(" + name_of(choice.model, nodes[n]) + "): " +
          (device < choice.candidates.size() ? index_and_name(choice, *choice.candidates[device], " (", ")") : "-1 (NNAPI)"));
  }
  if (const size_t others = choice.model.operations().size() - nodes.size(); others > 0) {
    write("no device runs " + std::to_string(others) +
          " other operations: they are computed at compilation, or nothing reads them");
  }
  if (deployment.is_whole) {
    const Device& device = *choice.candidates[deployment.partitions.front().device];
    write("ModelBuilder::partitionTheWork: only one best device: " + index_and_name(choice, device, " = ", ""));
  } else {
    log_unknown_sizes(deployment);
  }
}

void log_device_compilation(const Device& device, bool is_whole) {
  if (!is_wanted()) return;
  write(is_whole ? "ExecutionPlan::SimpleBody::finish, compilation"
                 : "ExecutionStep::finishStepModel, compilation on " + device.info().name);
}

void log_steps(const Model& model, std::span<const PlanPart> parts) {
  if (!is_wanted()) return;
  write("ModelBuilder::partitionTheWork: source model: " + std::to_string(model.operations().size()) + " operations, " +
        std::to_string(model.operands().size()) + " operands, " + std::to_string(model.inputs().size()) + " inputs, " +
        std::to_string(model.outputs().size()) + " outputs");
  if (parts.size() == 1 && parts[0].device != nullptr) return write("SIMPLE for " + parts[0].device->info().name);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string place = parts[i].device != nullptr ? parts[i].device->info().name : "several devices (control flow)";
    write("Step#" + std::to_string(i) + ": execute on " + place);
  }
}

}  // namespace nnvk
