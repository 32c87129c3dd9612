// Computing expectations.
#include "tools/conformance/golden.h"

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/muted_errors.h"

namespace nnvk::tools::conformance {

Result<DeviceEntry> reference_device() { return find_device("nnapi-reference"); }

Status fill_expectations(VectorCase& c, const DeviceEntry& reference, bool keep_open, std::string& unsupported) {
  if (c.expect_failure) return {};
  TOOLS_ASSIGN(auto compiled, CompiledCase::make(c, reference));
  if (!compiled.unsupported().empty()) {
    unsupported = compiled.unsupported();
    return {};
  }
  const MutedErrors muted(true);  // the first buffers may be too small
  TOOLS_ASSIGN(auto outputs, compiled.run_with_unknown_sizes(c));
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto& operand = c.main.operands[c.main.outputs[i]];
    if (!outputs[i].guards_intact) return fail("the reference device wrote outside an output's buffer");
    if (!keep_open) operand.dimensions = outputs[i].shape;
    operand.expected_dimensions = std::move(outputs[i].shape);
    operand.data = std::move(outputs[i].bytes);
  }
  return {};
}

}  // namespace nnvk::tools::conformance
