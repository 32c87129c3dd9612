// Random models as cases that can be chosen, run and repeated by name like all others.
#pragma once

#include <set>

#include "tools/conformance/case_list.h"

namespace nnvk::tools::conformance {

// nnvk.random_graphs.mixed.seed_<seed>.<wrong or right>.<number>: models of 10 to 20 operations. Every fifth one has something
// wrong in an operand; devices must then end with the reference's result code, or with its values where it turned out right.
std::vector<CaseEntry> random_graph_entries(uint32_t count, uint64_t seed);

// nnvk.control_flow.random_nestings.seed_<seed>.depth_<depth>.<number>: IF and WHILE up to five levels deep.
std::vector<CaseEntry> random_nesting_entries(uint32_t count, uint64_t seed);

// For random graphs that crash: runs the case without some of its outputs and what only they need, after writing to `file` what
// is left. Wrong results end the process as well. False when all outputs are left out or one of them is none, or when the case is
// no random graph.
Result<bool> run_without_outputs(const CaseEntry& entry, const std::set<size_t>& left_out, const DeviceEntry& device,
                                 const std::string& file);

}  // namespace nnvk::tools::conformance
