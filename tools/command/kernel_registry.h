// Every pipeline that the library can choose. The generated cases of the conformance suite, and the same operations at sizes that
// no test could run, are sent one by one to nnvk_listKernels().
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/command/kernel_list.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools {

// The case with the first dimension of its model inputs `factor` times as large (without `all`: of the first input alone), and
// outputs and temporaries of open shapes. So the library chooses kernels of large layers, but computes none. Nothing if no input
// has a dimension to enlarge. Graphs inside IF and WHILE stay unchanged.
std::optional<conformance::VectorCase> enlarged(const conformance::VectorCase& c, uint32_t factor, bool all);

// The library's answer about a case's kernels; an error if the model is invalid.
using AskKernels = std::function<Result<nlohmann::ordered_json>(const conformance::VectorCase& c)>;

// How many similar cases of an operation (with the same pipelines) have been enlarged. Thousands of cases differ only in values,
// or in shapes that no choice depends on.
using EnlargedBefore = std::map<std::string, int>;

// Adds the answer for `c` itself. It enlarges at most three similar cases (same pipelines, wide or not). For these it also adds
// the largest valid size, up to 8192 times as large, and all sizes between two with different pipelines. Fails only if `c` itself
// fails.
Status add_sizes(const conformance::VectorCase& c, const std::string& name, const AskKernels& ask, EnlargedBefore& before,
                 KernelCollector& collector);

// The registry on the device of `request` (nnvk_listKernels()). Without "variant" in the request it lists every variant: the
// device's preferred ones and its fallbacks.
Result<KernelList> list_registry(const nlohmann::ordered_json& request);

}  // namespace nnvk::tools
