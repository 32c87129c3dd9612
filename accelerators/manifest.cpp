// Parses a manifest: nlohmann's parser reads the JSON, and this file checks every field.
#include "accelerators/manifest.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace nnvk::accelerators {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kLongestText = 4096;
constexpr unsigned kMostPatience = 86'400;
constexpr unsigned kMostMegabytes = 1 << 24;
constexpr unsigned kMostThreads = 1 << 15;
constexpr size_t kMostPaths = 64;
constexpr const char* kFields[] = {
    "manifest_version", "name",    "library",  "isolation", "seccomp", "patience_seconds", "load_patience_seconds",
    "memory_megabytes", "threads", "readable", "writable",  "devices", "enabled",          "description"};

class ManifestReader {
 public:
  ManifestReader(const std::string& file, const json& root) : file_(file), root_(root) {}

  Result<Manifest> read() const {
    if (!root_.is_object())
      return bad("it is not a JSON object; write {\"manifest_version\": 1, \"name\": ..., \"library\": ...}");
    for (const auto& [field, value] : root_.items()) {
      if (std::ranges::find(kFields, field) == std::end(kFields)) {
        return bad("there is no field \"" + field + "\"; correct its spelling or remove it");
      }
    }
    const auto version = root_.find("manifest_version");
    if (version == root_.end() || !version->is_number_integer() || *version != kFormat) {
      return bad("\"manifest_version\" must be 1, the only format that this library knows");
    }
    Manifest manifest;
    manifest.file = file_;
    NNVK_ASSIGN(manifest.name, text("name", {}));
    if (!is_plain_name(manifest.name)) {
      return bad("\"name\" is \"" + manifest.name + "\"; use letters, digits, '.', '_' and '-', at most 64 of them");
    }
    NNVK_ASSIGN(const std::string library, text("library", {}));
    if (library.empty()) return bad("\"library\" is empty; give the path of the plugin's library, relative to the manifest");
    // The dynamic loader searches for a name without a slash, as for Vulkan's drivers.
    manifest.driver_library = library.find('/') == std::string::npos ? library : beside_manifest(library);
    NNVK_ASSIGN(const std::string isolation, text("isolation", isolation_name(Isolation::kProcess)));
    if (isolation == isolation_name(Isolation::kInProcess)) {
      manifest.isolation = Isolation::kInProcess;
    } else if (isolation != isolation_name(Isolation::kProcess)) {
      return bad("\"isolation\" is \"" + isolation + "\"; write \"process\" or \"in-process\"");
    }
    NNVK_ASSIGN(manifest.seccomp, text("seccomp", manifest.seccomp));
    if (!is_plain_name(manifest.seccomp)) return bad("\"seccomp\" is not a name of a profile; leave it out for \"strict\"");
    NNVK_TRY(read_number("patience_seconds", kMostPatience, manifest.patience_seconds));
    NNVK_TRY(read_number("load_patience_seconds", kMostPatience, manifest.load_patience_seconds));
    NNVK_TRY(read_number("memory_megabytes", kMostMegabytes, manifest.memory_megabytes));
    NNVK_TRY(read_number("threads", kMostThreads, manifest.threads));
    NNVK_ASSIGN(manifest.readable, paths("readable"));
    NNVK_ASSIGN(manifest.writable, paths("writable"));
    NNVK_ASSIGN(manifest.devices, paths("devices"));
    if (const auto enabled = root_.find("enabled"); enabled != root_.end()) {
      if (!enabled->is_boolean()) return bad("\"enabled\" must be true or false, without quotes");
      manifest.enabled = enabled->get<bool>();
    }
    return manifest;
  }

 private:
  tl::unexpected<Error> bad(const std::string& message) const { return fail(Code::kBadData, file_ + ": " + message); }
  tl::unexpected<Error> bad_field(const char* field, const std::string& what) const {
    return bad("\"" + std::string(field) + "\" " + what);
  }

  static bool is_plain_name(const std::string& name) {
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, is_plain);
  }

  static bool is_fit(const std::string& text) { return text.size() <= kLongestText && text.find('\0') == std::string::npos; }

  std::string beside_manifest(const std::string& path) const {
    return (std::filesystem::path(file_).parent_path() / path).lexically_normal().string();
  }

  Result<std::string> text(const char* field, const std::optional<std::string>& otherwise) const {
    const auto found = root_.find(field);
    if (found == root_.end()) {
      if (otherwise) return *otherwise;
      return bad_field(field, "is missing; add it");
    }
    if (!found->is_string()) return bad_field(field, "must be a text in quotes");
    auto value = found->get<std::string>();
    if (!is_fit(value)) return bad_field(field, "is too long or has a zero in it");
    return value;
  }

  // Reads a number from 1 to `most`; `value` stays unchanged if the field is missing.
  Status read_number(const char* field, unsigned most, unsigned& value) const {
    const auto found = root_.find(field);
    if (found == root_.end()) return {};
    if (!found->is_number_unsigned() || *found == 0 || *found > most) {
      return bad_field(field, "must be a whole number from 1 to " + std::to_string(most));
    }
    value = found->get<unsigned>();
    return {};
  }

  // Reads a list of paths, which are relative to the manifest. The list is empty if the field is missing.
  Result<std::vector<std::string>> paths(const char* field) const {
    std::vector<std::string> resolved;
    const auto found = root_.find(field);
    if (found == root_.end()) return resolved;
    const auto is_path = [](const json& path) {
      return path.is_string() && !path.get_ref<const std::string&>().empty() && is_fit(path.get_ref<const std::string&>());
    };
    if (!found->is_array() || found->size() > kMostPaths || !std::ranges::all_of(*found, is_path)) {
      return bad_field(field, "must be a list of at most " + std::to_string(kMostPaths) + " paths in quotes");
    }
    for (const json& path : *found) {
      resolved.push_back(beside_manifest(path.get_ref<const std::string&>()));
      if (resolved.back() == "/") return bad_field(field, "names the whole file system; name what the plugin needs");
    }
    return resolved;
  }

  const std::string& file_;
  const json& root_;
};

}  // namespace

const char* isolation_name(Isolation isolation) { return isolation == Isolation::kProcess ? "process" : "in-process"; }

Result<Manifest> parse_manifest(const std::string& file, std::string_view text) {
  // Parses without exceptions, so that an error has no position. Comments are allowed.
  const json root = json::parse(text, nullptr, false, true);
  if (root.is_discarded())
    return fail(Code::kBadData, file + ": it is not valid JSON; look for a missing comma, quote or bracket");
  return ManifestReader(file, root).read();
}

}  // namespace nnvk::accelerators
