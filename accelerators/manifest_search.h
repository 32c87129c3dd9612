// Finds manifests and chooses among them: in the folders of the XDG base directory specification, and by environment variables
// that add, replace, enable and disable plugins. Pure except for read_manifests(), which reads files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "accelerators/manifest.h"

namespace nnvk::accelerators {

// The settings in the environment; all are empty if the process has more rights than its user.
struct SearchSettings {
  std::optional<std::string> files;        // NNVK_PLUGIN_FILES: manifests and folders of them, with ':', instead of all others
  std::optional<std::string> added_files;  // NNVK_ADD_PLUGIN_FILES: the same, before all others
  std::string enabled;                     // NNVK_ENABLE_PLUGINS: names of plugins, with ',', * for any letters
  std::string disabled;                    // NNVK_DISABLE_PLUGINS: the same; wins
  // XDG_CONFIG_HOME, XDG_CONFIG_DIRS, XDG_DATA_HOME, XDG_DATA_DIRS, HOME.
  std::optional<std::string> config_home;
  std::optional<std::string> config_dirs;
  std::optional<std::string> data_home;
  std::optional<std::string> data_dirs;
  std::optional<std::string> home;
};
SearchSettings read_search_settings();

// Returns the manifests and folders to read, in order of precedence: the first plugin of a name wins. `installed`: the folder of
// this installation's manifests; empty: none.
std::vector<std::string> search_places(const SearchSettings& settings, const std::string& installed);

// Returns whether a name is in a list of names and patterns ("npu,vendor-*").
bool is_listed(const std::string& list, const std::string& name);

// A manifest that was found, and the reason if its plugin is not used.
struct FoundManifest {
  Manifest manifest;        // only `file` is set if reading failed
  std::string not_used;     // why not; empty: it is used
  bool is_mistake = false;  // the reason is an error in the manifest, which the log warns about
};

// Decides which of the manifests, in order of precedence, are used.
std::vector<FoundManifest> choose_manifests(const std::vector<Result<Manifest>>& read, const SearchSettings& settings);

// Reads all "*.json" at these places, those of a folder sorted by name. Skips missing folders. Returns an error with the name for
// each file that it cannot read.
std::vector<Result<Manifest>> read_manifests(const std::vector<std::string>& places);

}  // namespace nnvk::accelerators
