#include "accelerators/host/program/visible_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace nnvk::accelerators {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 1024;  // of one folder

// Folders of the system's libraries, and files that libraries read about the machine.
constexpr const char* kForAll[] = {"/lib",
                                   "/lib32",
                                   "/lib64",
                                   "/usr/lib",
                                   "/usr/lib32",
                                   "/usr/lib64",
                                   "/usr/local/lib",
                                   "/nix/store",
                                   "/gnu/store",
                                   "/etc/ld.so.cache",
                                   "/sys/devices/system/cpu",
                                   "/proc/cpuinfo",
                                   "/proc/meminfo",
                                   "/dev/null",
                                   "/dev/urandom"};
// Files that GPU drivers and the Vulkan loader read: manifests, configurations, the machine's hardware.
constexpr const char* kForGpus[] = {"/usr/share/vulkan",
                                    "/usr/local/share/vulkan",
                                    "/etc/vulkan",
                                    "/usr/share/glvnd",
                                    "/etc/glvnd",
                                    "/usr/share/drirc.d",
                                    "/etc/drirc",
                                    "/usr/share/libdrm",
                                    "/usr/share/nvidia",
                                    "/usr/share/OpenCL",
                                    "/etc/OpenCL",
                                    "/sys/dev/char",
                                    "/sys/devices",
                                    "/sys/class/drm",
                                    "/sys/bus/pci",
                                    "/proc/driver/nvidia",
                                    "/proc/devices",
                                    "/proc/modules",
                                    "/sys/module/nvidia/version"};
// Nodes of compute and render devices: the folder, and the prefix of their names. Display nodes (/dev/dri/card*) are left out.
constexpr std::pair<const char*, const char*> kNodes[] = {
    {"/dev/dri", "renderD"}, {"/dev", "nvidia"}, {"/dev", "kfd"}, {"/dev", "mali"}, {"/dev/accel", "accel"}};

// Returns the paths in a variable that lists them.
std::vector<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  std::string_view list = value != nullptr ? value : "";
  std::vector<std::string> parts;
  while (!list.empty()) {
    const size_t end = std::min(list.find(':'), list.size());
    // Skips relative paths, which would be relative to "/" here.
    if (list.starts_with('/')) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

// Returns a folder of the XDG base directories.
std::string own_folder(const char* name, const char* below_home) {
  if (const auto folders = variable(name); !folders.empty()) return folders.front();
  const auto homes = variable("HOME");
  return homes.empty() ? std::string() : homes.front() + below_home;
}

bool is_one_of(FileNames names, const std::string& name) {
  if (names == FileNames::kCalibrations) return name.starts_with("calibration-");
  if (names == FileNames::kLibrariesAndManifests && name.ends_with(".json")) return true;
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

}  // namespace

std::vector<std::string> files_at(const std::string& place, FileNames names) {
  std::error_code none;
  const fs::path folder = fs::is_directory(place, none) ? fs::path(place) : fs::path(place).parent_path();
  std::vector<std::string> files;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end && files.size() < kMostFiles;
       entry.increment(none)) {
    std::error_code gone;
    if (is_one_of(names, entry->path().filename().string()) && entry->is_regular_file(gone))
      files.push_back(entry->path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<VisiblePath> visible_files(const SandboxRequest& request, const std::string& library) {
  std::vector<VisiblePath> visible;
  const auto add = [&visible](const std::string& path, FileAccess access = FileAccess::kRead) {
    if (!path.empty()) visible.push_back({path, access});
  };
  const auto add_files = [&](const std::string& place, FileNames names) {
    for (const std::string& file : files_at(place, names)) add(file);
  };
  for (const char* path : kForAll) add(path);
  if (library.starts_with('/')) {
    add(library);
    add_files(library, FileNames::kLibraries);
    std::error_code none;
    if (const fs::path real = fs::canonical(library, none); !none && real != library) {
      add(real.string());
      add_files(real.string(), FileNames::kLibraries);
    }
  }
  for (const std::string& folder : variable("LD_LIBRARY_PATH")) add_files(folder, FileNames::kLibraries);
  if (request.profile == SandboxProfile::kGpu) {
    for (const char* path : kForGpus) add(path);
    for (const char* name :
         {"VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH"}) {
      for (const std::string& place : variable(name)) add_files(place, FileNames::kLibrariesAndManifests);
    }
    for (const std::string& folder : variable("XDG_DATA_DIRS")) add(folder + "/vulkan");
    for (const std::string& folder : {own_folder("XDG_DATA_HOME", "/.local/share"), own_folder("XDG_CONFIG_HOME", "/.config")}) {
      if (!folder.empty()) add(folder + "/vulkan");
    }
    // Calibrations, for nnvk as a plugin.
    if (const std::string cache = own_folder("XDG_CACHE_HOME", "/.cache"); !cache.empty()) {
      add_files(cache + "/nnvk", FileNames::kCalibrations);
    }
    for (const auto& [folder, begin] : kNodes) {
      std::error_code none;
      for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none)) {
        if (entry->path().filename().string().starts_with(begin)) add(entry->path().string(), FileAccess::kDevice);
      }
    }
  }
  for (const std::string& path : request.readable) add(path);
  for (const std::string& path : request.writable) add(path, FileAccess::kWrite);
  for (const std::string& path : request.devices) add(path, FileAccess::kDevice);
  return visible;
}

}  // namespace nnvk::accelerators
