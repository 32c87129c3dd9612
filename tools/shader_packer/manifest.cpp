// Parses shader manifests strictly: an unknown key is an error, because it would silently have no effect.
#include "tools/shader_packer/manifest.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

namespace nnvk::shader_packer {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::string& where, const std::string& what) { throw std::runtime_error(where + ": " + what); }

// Rejects keys that are neither in `required` nor in `optional`, and missing required keys.
void check_keys(const Json& object, const std::string& where, const std::set<std::string>& required,
                const std::set<std::string>& optional) {
  if (!object.is_object()) fail(where, "expected a JSON object");
  for (const auto& [key, value] : object.items()) {
    if (!required.contains(key) && !optional.contains(key)) fail(where, "unknown key \"" + key + "\"");
  }
  for (const std::string& key : required) {
    if (!object.contains(key)) fail(where, "missing key \"" + key + "\"");
  }
}

std::string string_at(const Json& object, const std::string& key, const std::string& where, const std::string& fallback = "") {
  if (!object.contains(key)) return fallback;
  if (!object[key].is_string() || object[key].get<std::string>().empty())
    fail(where, "\"" + key + "\" must be a non-empty string");
  return object[key].get<std::string>();
}

std::vector<std::string> strings_at(const Json& object, const std::string& key, const std::string& where) {
  std::vector<std::string> values;
  if (!object.contains(key)) return values;
  if (!object[key].is_array()) fail(where, "\"" + key + "\" must be a list of strings");
  for (const Json& value : object[key]) {
    if (!value.is_string()) fail(where, "\"" + key + "\" must be a list of strings");
    values.push_back(value.get<std::string>());
    if (std::count(values.begin(), values.end(), values.back()) > 1) fail(where, "\"" + values.back() + "\" is listed twice");
  }
  return values;
}

// Checks a name of a binding, constant or kernel, which becomes a name in C++.
void check_identifier(const std::string& name, const std::string& where) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto inner = [&](char c) { return letter(c) || c == '_' || std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (name.empty() || !letter(name[0]) || !std::all_of(name.begin(), name.end(), inner)) {
    fail(where, "\"" + name + "\" is not a name in C++");
  }
}

std::vector<std::string> parse_features(const Json& object, const std::string& where) {
  std::vector<std::string> features = strings_at(object, "features", where);
  for (const std::string& feature : features) {
    if (find_feature(feature) == nullptr) fail(where, "unknown feature \"" + feature + "\"");
  }
  return features;
}

// Parses a list of names, or of objects {"name", "features"}. Without a list, the variants are texel and words.
std::vector<Variant> parse_variants(const Json& entry, const std::string& where) {
  Json list = Json::array({"texel", "words"});
  if (entry.contains("variants")) list = entry["variants"];
  if (!list.is_array()) fail(where, "\"variants\" must be a list");
  std::map<const VariantKind*, Variant> given;
  for (const Json& item : list) {
    if (!item.is_string()) check_keys(item, where + ", variants", {"name", "features"}, {});
    const std::string name = item.is_string() ? item.get<std::string>() : string_at(item, "name", where);
    const VariantKind* const kind = find_variant(name);
    if (kind == nullptr) fail(where, "there is no variant \"" + name + "\"");
    Variant variant{kind, item.is_string() ? std::vector<std::string>{} : parse_features(item, where + ", variant " + name)};
    if (!given.emplace(kind, std::move(variant)).second) fail(where, "variant \"" + name + "\" is listed twice");
  }
  std::vector<Variant> variants;
  for (const VariantKind& kind : variant_kinds()) {
    if (const auto found = given.find(&kind); found != given.end()) variants.push_back(found->second);
  }
  if (variants.empty() || variants.back().kind->name != "words" || !variants.back().features.empty()) {
    fail(where, "\"variants\" must contain \"words\", without features");
  }
  return variants;
}

BindingKind parse_kind(const std::string& text, const std::string& where) {
  for (BindingKind kind : {BindingKind::kInput, BindingKind::kTable, BindingKind::kOutput, BindingKind::kInOut}) {
    if (text == to_string(kind)) return kind;
  }
  fail(where, "binding kind \"" + text + "\" is none of input, table, output, inout");
}

std::vector<Binding> parse_bindings(const Json& list, const std::string& where) {
  if (!list.is_array() || list.empty()) fail(where, "\"bindings\" must be a non-empty list");
  std::vector<Binding> bindings;
  for (const Json& entry : list) {
    check_keys(entry, where + ", binding " + std::to_string(bindings.size()), {"name", "kind"}, {});
    Binding binding{string_at(entry, "name", where), parse_kind(string_at(entry, "kind", where), where)};
    for (const Binding& other : bindings) {
      if (other.name == binding.name) fail(where, "binding \"" + binding.name + "\" is listed twice");
    }
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

Kernel parse_kernel(const Json& entry, const std::string& file) {
  const std::string name = entry.is_object() ? string_at(entry, "name", file) : "";
  const std::string where = file + ", kernel " + (name.empty() ? "?" : name);
  check_keys(entry, where, {"name", "source", "local_size", "bindings"},
             {"defines", "params_struct", "specialization", "features", "variants"});
  Kernel kernel;
  kernel.name = name;
  kernel.source = string_at(entry, "source", where);
  kernel.defines = strings_at(entry, "defines", where);
  kernel.params_struct = string_at(entry, "params_struct", where);
  kernel.bindings = parse_bindings(entry["bindings"], where);
  kernel.specialization = strings_at(entry, "specialization", where);
  kernel.features = parse_features(entry, where);
  kernel.variants = parse_variants(entry, where);
  check_identifier(kernel.name, where);
  for (const std::string& constant : kernel.specialization) check_identifier(constant, where);
  for (const Binding& binding : kernel.bindings) check_identifier(binding.name, where);
  const Json& size = entry["local_size"];
  if (!size.is_array() || size.size() != 3) fail(where, "\"local_size\" must be a list of three positive integers");
  for (size_t axis = 0; axis < 3; ++axis) {
    if (!size[axis].is_number_unsigned() || size[axis].get<uint64_t>() == 0 || size[axis].get<uint64_t>() > 1024) {
      fail(where, "\"local_size\" must be a list of three positive integers up to 1024");
    }
    kernel.local_size[axis] = size[axis].get<uint32_t>();
  }
  return kernel;
}

}  // namespace

const char* to_string(BindingKind kind) {
  switch (kind) {
    case BindingKind::kInput:
      return "input";
    case BindingKind::kTable:
      return "table";
    case BindingKind::kOutput:
      return "output";
    case BindingKind::kInOut:
      return "inout";
  }
  return "?";
}

Family parse_manifest(const std::string& json_text, const std::string& file_name) {
  Json root;
  try {
    root = Json::parse(json_text);
  } catch (const Json::parse_error& error) {
    fail(file_name, error.what());
  }
  check_keys(root, file_name, {"family", "kernels"}, {"params"});
  Family family;
  family.name = string_at(root, "family", file_name);
  family.params_header = string_at(root, "params", file_name);
  if (!root["kernels"].is_array() || root["kernels"].empty()) fail(file_name, "\"kernels\" must be a non-empty list");
  for (const Json& entry : root["kernels"]) {
    Kernel kernel = parse_kernel(entry, file_name);
    if (!kernel.params_struct.empty() && family.params_header.empty()) {
      fail(file_name + ", kernel " + kernel.name, "\"params_struct\" needs the family's \"params\" header");
    }
    for (const Kernel& other : family.kernels) {
      if (other.name == kernel.name) fail(file_name, "kernel \"" + kernel.name + "\" is listed twice");
    }
    family.kernels.push_back(std::move(kernel));
  }
  return family;
}

std::vector<Family> read_manifests(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Family> families;
  std::set<std::string> names;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    if (!stream) fail(file.string(), "cannot be read");
    Family family = parse_manifest(text.str(), file.filename().string());
    if (family.name != file.stem().string())
      fail(file.filename().string(), "describes family \"" + family.name + "\"; name it after the file");
    for (const Kernel& kernel : family.kernels) {
      if (!names.insert(kernel.name).second)
        fail(file.filename().string(), "kernel \"" + kernel.name + "\" exists in another family");
    }
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace nnvk::shader_packer
