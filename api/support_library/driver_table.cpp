// ANeuralNetworks_getSLDriverImpl returns the C API as a table of function pointers.
#include "api/entry_points.h"
#include "api/support_library/diagnostic_info.h"
#include "api/support_library/functions.h"
#include "api/support_library/telemetry.h"
#include "core/base/config.h"

namespace nnvk::api::support_library {
namespace {

// Returns the feature level in the table. The entries are always those of level 8: each level includes the level before it.
int64_t table_level() {
  const int level = read_support_library_level();
  return level == 5 ? ANEURALNETWORKS_FEATURE_LEVEL_5 : ANEURALNETWORKS_FEATURE_LEVEL_6 + (level - 6);
}

NnApiSLDriverImplFL8 make_table() {
  NnApiSLDriverImplFL8 whole{};
  NnApiSLDriverImplFL5& table = whole.base;
  table.base.implFeatureLevel = table_level();
#define NNVK_ABSENT(name)
#define NNVK_SAME(name) table.name = ::name;
#define NNVK_WATCHED(name) table.name = telemetry::name;
#define NNVK_ENTER(name, phase, in_table) NNVK_##in_table(name)
  NNVK_ENTRY_POINTS(NNVK_ENTER)
#undef NNVK_ABSENT
#undef NNVK_SAME
#undef NNVK_WATCHED
#undef NNVK_ENTER
  table.SL_ANeuralNetworksCompilation_setCachingFromFds = telemetry::SL_ANeuralNetworksCompilation_setCachingFromFds;
  fill_queries(table);
  table.SL_ANeuralNetworksDiagnostic_registerCallbacks = telemetry::SL_ANeuralNetworksDiagnostic_registerCallbacks;
  fill_getters(table);
  whole.ANeuralNetworksCompilation_addExtensionAttribute = ::ANeuralNetworksCompilation_addExtensionAttribute;
  whole.ANeuralNetworksExecution_addExtensionAttribute = ::ANeuralNetworksExecution_addExtensionAttribute;
  return whole;
}

}  // namespace
}  // namespace nnvk::api::support_library

NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl() {
  static NnApiSLDriverImplFL8 table = nnvk::api::support_library::make_table();
  return &table.base.base;
}
