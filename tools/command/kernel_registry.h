// Every pipeline that the library can choose: the generated cases of the conformance suite, and the same operations at sizes that
// no test could run, asked one by one which kernels they become.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/command/kernel_list.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools {

// The case with the first dimension of its model inputs `factor` times as large (of the first input alone without `all`), and
// outputs and temporaries of open shapes: kernels of large layers are chosen without computing any. Nothing when no input has a
// dimension to enlarge. Graphs inside of IF and WHILE stay as they are.
std::optional<conformance::VectorCase> enlarged(const conformance::VectorCase& c, uint32_t factor, bool all);

// What the library says of a case's kernels; an error where the model is invalid.
using AskKernels = std::function<Result<nlohmann::ordered_json>(const conformance::VectorCase& c)>;

// How many cases of an operation that become the same pipelines were asked about at other sizes. There are thousands that differ
// in values or in shapes that no choice looks at.
using EnlargedBefore = std::map<std::string, int>;

// Adds what becomes of `c`: as it is; and, unless three like it (with the same pipelines, wide or not) were enlarged before, up
// to 8192 times as large, the largest that is valid, and all sizes between two that give different pipelines. Errors of the case
// as it is.
Status add_sizes(const conformance::VectorCase& c, const std::string& name, const AskKernels& ask, EnlargedBefore& before,
                 KernelCollector& collector);

// The registry on the device of `request` (nnvk_listKernels()). Without "variant" in the request, every variant: what the device
// prefers, and what it falls back to.
Result<KernelList> list_registry(const nlohmann::ordered_json& request);

}  // namespace nnvk::tools
