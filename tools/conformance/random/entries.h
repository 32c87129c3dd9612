// Random models as cases that can be chosen, run and repeated by name like all others.
#pragma once

#include "tools/conformance/case_list.h"

namespace nnvk::tools::conformance {

// nnvk.random_graphs.mixed.seed_<seed>.<wrong or right>.<number>: models of 10 to 20 operations. Every fifth one has something
// wrong in an operand; devices must then end with the reference's result code, or with its values where it turned out right.
std::vector<CaseEntry> random_graph_entries(uint32_t count, uint64_t seed);

// nnvk.control_flow.random_nestings.seed_<seed>.depth_<depth>.<number>: IF and WHILE up to five levels deep.
std::vector<CaseEntry> random_nesting_entries(uint32_t count, uint64_t seed);

// For random graphs that crash: runs the case's operation `last` with all that it depends on, after writing to `file` what that
// is. The results are not looked at. False when there is no such operation, or when the case is no random graph.
Result<bool> run_part(const CaseEntry& entry, size_t last, const DeviceEntry& device, const std::string& file);

}  // namespace nnvk::tools::conformance
