// The options that a session gives the provider.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "clients/onnxruntime_provider/names.h"
#include "clients/plugin_options.h"
#include "importers/import_options.h"

namespace nnvk::clients::onnxruntime {

// The name of the provider, and the prefix of its options in a session's configuration.
inline constexpr const char* kProviderName = "nnvk";
inline constexpr const char* kOptionPrefix = "ep.nnvk.";

// The options of a session. If `device` is empty, the session's own choice of a device counts.
struct Options : PluginOptions {
  bool makes_context = false;  // the session's own ep.context_enable
};

// How the importer reads the runtime's graphs: the runtime holds the model's weights already, so their memory has no limit.
importers::ImportOptions import_options(const Options& options);

using Setting = std::pair<std::string, std::string>;

// Reads the settings of a session. Ignores the settings of other software: all keys without kOptionPrefix but ep.context_enable.
// An unknown option or value is an error that names it, and lists the known ones.
Result<Options> parse_options(std::span<const Setting> settings);

}  // namespace nnvk::clients::onnxruntime
