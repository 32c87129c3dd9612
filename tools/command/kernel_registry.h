// Lists every pipeline that the library can choose. Asks nnvk_listKernels() about every generated case of the conformance suite,
// and about the same operations at sizes that no test could run.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/command/kernel_list.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools {

// Returns the case with larger inputs, so that the library chooses kernels for large layers; nothing is computed. `factor`
// multiplies the first dimension of the first model input that has known dimensions; with `all`, of every such input. Outputs and
// temporaries get open shapes. Graphs inside IF and WHILE stay unchanged. Returns nothing if no input has known dimensions, or if
// an input would have more than 2^31 elements.
std::optional<conformance::VectorCase> enlarged(const conformance::VectorCase& c, uint32_t factor, bool all);

// Asks the library for a case's kernels; an error if the model is invalid.
using AskKernels = std::function<Result<nlohmann::ordered_json>(const conformance::VectorCase& c)>;

// The number of similar cases of an operation (with the same pipelines) that were enlarged. Thousands of cases differ only in
// values, or in shapes that do not influence the choice.
using EnlargedBefore = std::map<std::string, int>;

// Adds the answer for `c` itself, and enlarges it if fewer than three similar cases (same pipelines, wide or not) were enlarged
// before. Then also adds the largest valid size, up to 8192 times as large, and the sizes between at which pipelines change.
// Fails only if `c` itself fails.
Status add_sizes(const conformance::VectorCase& c, const std::string& name, const AskKernels& ask, EnlargedBefore& before,
                 KernelCollector& collector);

// Rows of one kind (operation and type) for one variant of kernels; "": the device's preferred variants.
struct RegistryPart {
  std::string name;  // "words nnvk.convolution.conv_2d.quant8"
  std::string variant;
  std::vector<size_t> rows;
};

// Divides the rows, whose names are given, for every variant. Equal cases stay in one part, because few stand for all.
std::vector<RegistryPart> registry_parts(std::span<const std::string> variants, std::span<const std::string> rows);

struct RegistryRun {
  int threads = 0;     // 0: one per processor
  std::string resume;  // the file of an unfinished run of the same build; empty: none
};

// Lists the pipelines for the device of `request` (nnvk_listKernels()). If the request has no "variant", lists all variants: the
// device's preferred ones and its fallbacks. The list does not depend on `run`.
Result<KernelList> list_registry(const nlohmann::ordered_json& request, const RegistryRun& run);

}  // namespace nnvk::tools
