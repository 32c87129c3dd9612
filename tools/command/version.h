// The version of this program. The build writes the functions (tools/version.cmake).
#pragma once

namespace nnvk::tools {

// Returns the version: "0.1.0".
const char* nnvk_version();
// Returns the commit of the sources, as in "0123456789ab", or "0123456789ab-modified" if they were changed after it; "unknown"
// outside a checkout.
const char* nnvk_commit();

}  // namespace nnvk::tools
