// Lets a library detect that it runs in a plugin host. It then loads no plugins: otherwise hosts would start hosts without end.
#pragma once

#include <cstdlib>

namespace nnvk::accelerators {

// A variable in the environment of every plugin host.
inline constexpr const char* kInPluginHost = "NNVK_IN_PLUGIN_HOST";

inline bool is_in_plugin_host() { return std::getenv(kInPluginHost) != nullptr; }

}  // namespace nnvk::accelerators
