// If NNVK_SAMPLE_NPU=KIND@EXECUTION is set, replaces some functions of the table when the library is loaded.
#include "accelerators/sample_npu/misbehaviour.h"

#include <nnvk/support_library.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace nnvk::sample_npu {
namespace {

constexpr std::pair<std::string_view, Misbehaviour> kKinds[] = {{"crash", Misbehaviour::kCrash},
                                                                {"exit", Misbehaviour::kExit},
                                                                {"hang", Misbehaviour::kHang},
                                                                {"wrong-code", Misbehaviour::kWrongCode},
                                                                {"wrong-rank", Misbehaviour::kWrongRank},
                                                                {"wrong-dimension", Misbehaviour::kWrongDimension}};
constexpr int kNoSuchCode = 4242;
constexpr uint32_t kAbsurdRank = 100000;

std::optional<MisbehaviourPlan> g_plan;
NnApiSLDriverImplFL5 g_original;
std::atomic<uint64_t> g_executions{0};
thread_local bool g_is_wrong = false;  // whether the last execution on this thread misbehaves

bool is_now(uint64_t execution) { return execution == g_plan->execution || (g_plan->and_later && execution > g_plan->execution); }

int compute(ANeuralNetworksExecution* execution) {
  g_is_wrong = is_now(++g_executions);
  if (!g_is_wrong) return g_original.ANeuralNetworksExecution_compute(execution);
  switch (g_plan->kind) {
    case Misbehaviour::kCrash:
      std::raise(SIGSEGV);
      break;
    case Misbehaviour::kExit:
      ::_exit(3);
    case Misbehaviour::kHang:
      while (true) ::pause();
    case Misbehaviour::kWrongCode:
      return kNoSuchCode;
    default:
      break;
  }
  return g_original.ANeuralNetworksExecution_compute(execution);
}

int rank(ANeuralNetworksExecution* execution, int32_t index, uint32_t* rank) {
  const int code = g_original.ANeuralNetworksExecution_getOutputOperandRank(execution, index, rank);
  if (g_is_wrong && g_plan->kind == Misbehaviour::kWrongRank) *rank = kAbsurdRank;
  return code;
}

int dimensions(ANeuralNetworksExecution* execution, int32_t index, uint32_t* dimensions) {
  const int code = g_original.ANeuralNetworksExecution_getOutputOperandDimensions(execution, index, dimensions);
  if (g_is_wrong && g_plan->kind == Misbehaviour::kWrongDimension) ++dimensions[0];
  return code;
}

bool misbehave_as_asked() {
  const char* const asked = std::getenv("NNVK_SAMPLE_NPU");
  g_plan = parse_misbehaviour(asked != nullptr ? asked : "");
  if (!g_plan) return false;
  auto& table = *reinterpret_cast<NnApiSLDriverImplFL5*>(ANeuralNetworks_getSLDriverImpl());
  g_original = table;
  table.ANeuralNetworksExecution_compute = compute;
  table.ANeuralNetworksExecution_getOutputOperandRank = rank;
  table.ANeuralNetworksExecution_getOutputOperandDimensions = dimensions;
  return true;
}

[[maybe_unused]] const bool g_misbehaves = misbehave_as_asked();

}  // namespace

std::optional<MisbehaviourPlan> parse_misbehaviour(std::string_view text) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  MisbehaviourPlan plan;
  std::string_view number = text.substr(at + 1);
  if (number.ends_with('+')) {
    plan.and_later = true;
    number.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), plan.execution);
  if (error != std::errc{} || end != number.data() + number.size() || plan.execution == 0) return std::nullopt;
  for (const auto& [name, kind] : kKinds) {
    if (name != text.substr(0, at)) continue;
    plan.kind = kind;
    return plan;
  }
  return std::nullopt;
}

}  // namespace nnvk::sample_npu
