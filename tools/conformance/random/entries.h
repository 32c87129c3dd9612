// Random models as cases that a run can choose and repeat by name, like all other cases.
#pragma once

#include <set>

#include "tools/conformance/case_list.h"

namespace nnvk::tools::conformance {

// Makes the cases nnvk.random_graphs.mixed.seed_<seed>.<wrong or right>.<number>: models of 10 to 20 operations. Every fifth
// model has an error in an operand: devices must then return the reference's result code, or its values if the model is valid
// after all.
std::vector<CaseEntry> random_graph_entries(uint32_t count, uint64_t seed);

// Makes the cases nnvk.control_flow.random_nestings.seed_<seed>.depth_<depth>.<number>: IF and WHILE up to five levels deep.
std::vector<CaseEntry> random_nesting_entries(uint32_t count, uint64_t seed);

// Helps to find the cause of a crash in a random graph: describes the case without the outputs in `left_out`, and without the
// parts that only they need, to `tell`, and runs it on `device`. Aborts the process if results are wrong. Returns false without
// running if no output remains, if `left_out` names an output that does not exist, or if the case is no random graph.
Result<bool> run_without_outputs(const CaseEntry& entry, const std::set<size_t>& left_out, const DeviceEntry& device,
                                 const std::function<void(const std::string&)>& tell);

}  // namespace nnvk::tools::conformance
