// The Vulkan device can build programs for everything that it claims to run. The test tries every operation on devices with small
// limits, where tensors of a few bytes stand for tensors of gigabytes. Nothing runs, so no device is needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "core/model/model.h"
#include "core/plan/plan_builder.h"
#include "core/plan/segments.h"
#include "cpu_fallback/reference_device.h"
#include "tools/conformance/generators/rows.h"
#include "vulkan/placement.h"
#include "vulkan/recording/recording_builder.h"

namespace nnvk::vulkan {
namespace {

using tools::conformance::Lifetime;
using tools::conformance::Row;
using tools::conformance::VectorCase;
using tools::conformance::VectorOperand;

// The model of a case; null if the case is invalid.
std::unique_ptr<Model> model_of(const VectorCase& c, ExtensionRegistry& extensions) {
  auto model = std::make_unique<Model>(extensions);
  for (uint32_t i = 0; i < c.main.operands.size(); ++i) {
    const VectorOperand& o = c.main.operands[i];
    const OperandTypeDescription type{o.type, o.dimensions.empty() ? nullptr : o.dimensions.data(),
                                      static_cast<uint32_t>(o.dimensions.size()), o.scale, o.zero_point};
    if (!model->add_operand(type)) return nullptr;
    if (!o.channel_scales.empty() &&
        !model->set_channel_quant(i, o.channel_axis, o.channel_scales.data(), static_cast<uint32_t>(o.channel_scales.size()))) {
      return nullptr;
    }
    const bool is_constant = o.lifetime == Lifetime::kConstantCopy || o.lifetime == Lifetime::kConstantReference;
    if (is_constant && !model->set_operand_value(i, o.data.data(), o.data.size())) return nullptr;
    if (o.lifetime == Lifetime::kNoValue && !model->set_operand_value(i, nullptr, 0)) return nullptr;
    if (o.lifetime == Lifetime::kSubgraph) return nullptr;  // placed model by model
  }
  for (const auto& operation : c.main.operations) {
    if (!model->add_operation(operation.code, operation.inputs, operation.outputs)) return nullptr;
  }
  if (c.relaxed && !model->set_relaxed(true)) return nullptr;
  if (!model->identify_inputs_and_outputs(c.main.inputs, c.main.outputs) || !model->finish()) return nullptr;
  return model;
}

struct Invented {
  const char* name;
  DeviceTraits traits;
};

std::vector<Invented> invented_devices() {
  std::vector<Invented> devices;
  const auto add = [&](const char* name, auto change) {
    DeviceTraits traits;
    change(traits);
    devices.push_back({name, traits});
  };
  const auto small_range = [](uint64_t range) {
    return [range](DeviceTraits& t) {
      t.max_storage_range = range;
      t.max_texel_elements = static_cast<uint32_t>(range / 16);
    };
  };
  add("plain", [](DeviceTraits&) {});
  add("range_64", small_range(64));
  add("range_256", small_range(256));
  add("range_1024", small_range(1024));
  add("range_4096", small_range(4096));
  add("texels_64", [](DeviceTraits& t) { t.max_texel_elements = 64; });
  add("words_range_512", [](DeviceTraits& t) {
    t.variants = {KernelVariant::kWords};
    t.max_storage_range = 512;
  });
  add("buffers_4", [](DeviceTraits& t) { t.max_storage_buffers = 4; });
  add("words_buffers_4", [](DeviceTraits& t) {
    t.variants = {KernelVariant::kWords};
    t.max_storage_buffers = 4;
  });
  add("buffers_4_range_1024", [&](DeviceTraits& t) {
    small_range(1024)(t);
    t.max_storage_buffers = 4;
  });
  add("groups_4", [](DeviceTraits& t) { std::fill_n(t.max_groups, 3, 4U); });
  add("software_range_1024", [&](DeviceTraits& t) {
    small_range(1024)(t);
    t.machine.kind = MachineKind::kSoftware;
  });
  return devices;
}

// Builds programs as a compilation does if all sizes are known.
Status build(const Plan& plan, const DeviceTraits& traits, KeptEmissions& kept) {
  const DeclaredBindings declared = declared_bindings(plan).value();
  const auto resolution = resolve(plan, declared.inputs, declared.outputs, cpu::reference_evaluator());
  if (!resolution) return {};  // wrong values are errors of the execution
  NNVK_TRY(build_programs({plan, *resolution, &kept}, traits, {}, 0));
  return {};
}

TEST(EveryOperation, ThatIsSupportedCompilesOnDevicesOfAllSizes) {
  const std::vector<Invented> devices = invented_devices();
  const HostEvaluator evaluator = cpu::reference_evaluator();
  std::set<OperationCode> operations;
  std::map<std::string, size_t> declined;
  size_t built = 0;
  for (const Row& row : tools::conformance::generated_rows().all()) {
    if (row.must_be_refused) continue;
    ExtensionRegistry extensions;
    const VectorCase c = row.make(1);
    const auto model = model_of(c, extensions);
    if (model == nullptr) continue;
    const auto whole = build_plan(*model);
    if (!whole || needs_segments(**whole)) continue;
    const PlanPointer plan = simplify(*whole, evaluator);
    if (!declared_bindings(*plan)) continue;
    for (const PlanNode& node : plan->nodes) operations.insert(node.code);
    for (const Invented& device : devices) {
      KeptEmissions kept;
      const CostModel costs = assumed_costs(device.traits);
      if (!first_objection(*plan, place_nodes(*plan, device.traits, evaluator, kept, costs)).empty()) {
        ++declined[device.name];
        continue;
      }
      const PlanPointer rewritten = rewrite_for_device(plan, device.traits, evaluator, kept, costs);
      const Status result = build(*rewritten, device.traits, kept);
      EXPECT_TRUE(result) << row.dotted << " on " << device.name << ": " << result.error().text();
      ++built;
    }
  }
  EXPECT_GT(operations.size(), 95U);
  EXPECT_GT(built, 10'000U);
  for (const Invented& device : devices) {
    // Devices with few storage buffers or texels use other kernel forms throughout.
    const std::string_view name = device.name;
    const bool is_small = name.find("range") != std::string_view::npos || name.find("groups") != std::string_view::npos;
    EXPECT_EQ(declined[device.name] > 0, is_small) << name;
  }
}

}  // namespace
}  // namespace nnvk::vulkan
