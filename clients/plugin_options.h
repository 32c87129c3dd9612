// The options that every plugin takes, as keys with values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "importers/client_names.h"

namespace nnvk::clients {

using importers::Error;
using importers::fail;
using importers::Result;
using importers::Status;

struct PluginOptions {
  std::string device = {};               // `device`: as choose_devices() takes it
  bool relaxed = false;                  // `precision`: exact (default) or relaxed
  std::string cache_directory = {};      // `cache_dir`; empty: nothing is kept
  std::optional<int> priority = {};      // `priority`: low, medium or high, as a PriorityCode; none: NNAPI's default
  std::optional<size_t> min_nodes = {};  // `min_nodes`: nodes that a part of a graph needs; if given, times decide nothing
  bool explain = false;                  // `explain`: 0 (default) or 1
  std::optional<bool> measures =
      {};  // `choice`: measured or predicted times decide what the plugin takes; the plugins differ in their default
};

// Sets one option. An unknown name or value is an error that names it, and lists the known ones.
Status set_option(PluginOptions& options, std::string_view name, const std::string& value);

}  // namespace nnvk::clients
