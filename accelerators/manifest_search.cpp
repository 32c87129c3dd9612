#include "accelerators/manifest_search.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>

#include "core/base/config.h"
#include "core/base/file_descriptor.h"

namespace nnvk::accelerators {
namespace {

constexpr const char* kFolder = "/nnvk/plugins.d";
constexpr size_t kLargestManifest = 64 << 10;

std::vector<std::string> split(const std::string& list, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(separator, begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Returns whether a name fits a pattern, in which '*' stands for any letters or none. Only the last '*' is tried again, so the
// time is at most the product of both lengths.
bool matches(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = std::string_view::npos;  // the last one so far
  size_t taken = 0;                      // the end of the text that it stands for
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// Returns the path if it is absolute: as in the XDG specification, relative paths are ignored, and empty variables count as not
// set.
std::optional<std::string> absolute(const std::optional<std::string>& path) {
  return path && path->starts_with('/') ? path : std::nullopt;
}

Result<Manifest> read_manifest(const std::string& path) {
  const FileDescriptor file = open_regular_file(path.c_str());
  std::string text(kLargestManifest + 1, '\0');
  const ssize_t count = file ? read_up_to(file.get(), std::as_writable_bytes(std::span(text)), 0) : -1;
  if (count < 0) {
    return fail(Code::kBadData,
                path + ": it cannot be read (" + std::strerror(errno) + "); check that it is a file and that you may read it");
  }
  if (static_cast<size_t>(count) > kLargestManifest) return fail(Code::kBadData, path + ": it is too long to be a manifest");
  text.resize(static_cast<size_t>(count));
  return parse_manifest(path, text);
}

}  // namespace

SearchSettings read_search_settings() {
  return {.files = read_setting("NNVK_PLUGIN_FILES", nullptr),
          .added_files = read_setting("NNVK_ADD_PLUGIN_FILES", nullptr),
          .enabled = read_setting("NNVK_ENABLE_PLUGINS", nullptr).value_or(""),
          .disabled = read_setting("NNVK_DISABLE_PLUGINS", nullptr).value_or(""),
          .config_home = read_setting("XDG_CONFIG_HOME", nullptr),
          .config_dirs = read_setting("XDG_CONFIG_DIRS", nullptr),
          .data_home = read_setting("XDG_DATA_HOME", nullptr),
          .data_dirs = read_setting("XDG_DATA_DIRS", nullptr),
          .home = read_setting("HOME", nullptr)};
}

std::vector<std::string> search_places(const SearchSettings& settings, const std::string& installed) {
  std::vector<std::string> places;
  const auto add = [&](const std::string& place) {
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  };
  const auto add_list = [&](const std::string& list, const char* behind) {
    for (const std::string& folder : split(list, ':')) {
      if (folder.starts_with('/')) add(folder + behind);
    }
  };
  const auto add_home = [&](const std::optional<std::string>& folder, const char* otherwise) {
    if (const auto own = absolute(folder)) return add(*own + kFolder);
    if (const auto home = absolute(settings.home)) add(*home + otherwise + kFolder);
  };
  const auto filled = [](const std::optional<std::string>& list, const char* otherwise) {
    return list && !list->empty() ? *list : std::string(otherwise);
  };
  if (settings.files) {
    for (const std::string& place : split(*settings.files, ':')) add(place);
    return places;
  }
  for (const std::string& place : split(settings.added_files.value_or(""), ':')) add(place);
  add_home(settings.config_home, "/.config");
  add_list(filled(settings.config_dirs, "/etc/xdg"), kFolder);
  add(std::string("/etc") + kFolder);
  add_home(settings.data_home, "/.local/share");
  add_list(filled(settings.data_dirs, "/usr/local/share:/usr/share"), kFolder);
  if (!installed.empty()) add(installed);
  return places;
}

bool is_listed(const std::string& list, const std::string& name) {
  return std::ranges::any_of(split(list, ','), [&](const std::string& pattern) { return matches(pattern, name); });
}

std::vector<FoundManifest> choose_manifests(const std::vector<Result<Manifest>>& read, const SearchSettings& settings) {
  std::vector<FoundManifest> found;
  for (const Result<Manifest>& manifest : read) {
    FoundManifest& entry = found.emplace_back();
    if (!manifest) {
      entry.not_used = manifest.error().message;
      entry.is_mistake = true;
      continue;
    }
    entry.manifest = *manifest;
    const std::string& name = manifest->name;
    const auto first = std::ranges::find_if(found.begin(), found.end() - 1,
                                            [&](const FoundManifest& other) { return other.manifest.name == name; });
    if (first != found.end() - 1) {
      entry.not_used = first->manifest.file + " comes before it and names the same plugin";
    } else if (is_listed(settings.disabled, name)) {
      entry.not_used = "NNVK_DISABLE_PLUGINS leaves it out";
    } else if (!manifest->enabled && !is_listed(settings.enabled, name)) {
      entry.not_used = "it is switched off; NNVK_ENABLE_PLUGINS=" + name + " or \"enabled\": true in the manifest switches it on";
    }
  }
  return found;
}

std::vector<Result<Manifest>> read_manifests(const std::vector<std::string>& places) {
  namespace fs = std::filesystem;
  std::vector<Result<Manifest>> manifests;
  for (const std::string& place : places) {
    std::error_code error;
    const fs::path path = fs::absolute(place, error);
    if (!fs::is_directory(path, error)) {
      // A folder may be missing, but a file was named explicitly: its absence is an error.
      if (fs::exists(path, error) || path.extension() == ".json")
        manifests.push_back(read_manifest(path.lexically_normal().string()));
      continue;
    }
    std::set<std::string> files;
    for (fs::directory_iterator entry(path, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (entry->path().extension() == ".json") files.insert(entry->path().lexically_normal().string());
    }
    if (error) {
      manifests.push_back(fail(Code::kBadData, place + ": the folder cannot be read: " + error.message()));
      continue;
    }
    for (const std::string& file : files) manifests.push_back(read_manifest(file));
  }
  return manifests;
}

}  // namespace nnvk::accelerators
