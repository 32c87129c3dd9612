// Provenance as JSON, as a list of facts, and as commands.
#include "tools/conformance/provenance.h"

#include <fmt/format.h>
#include <sha2.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tools/conformance/vector_case.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/shell_word.h"

namespace nnvk::tools::conformance {
namespace {

// Members that are texts, by their names in JSON.
struct TextMember {
  const char* name;
  std::string Provenance::*member;
};
constexpr TextMember kTexts[] = {
    {"commit", &Provenance::commit},   {"vectors", &Provenance::vectors}, {"vectors_digest", &Provenance::vectors_digest},
    {"kernels", &Provenance::kernels}, {"options", &Provenance::options}, {"environment", &Provenance::environment},
    {"command", &Provenance::command}, {"started", &Provenance::started},
};

class Digest {
 public:
  Digest() { ::SHA256Init(&context_); }
  void add(std::span<const uint8_t> bytes) { ::SHA256Update(&context_, bytes.data(), bytes.size()); }
  std::array<uint8_t, SHA256_DIGEST_LENGTH> end() {
    std::array<uint8_t, SHA256_DIGEST_LENGTH> sum{};
    ::SHA256Final(sum.data(), &context_);
    return sum;
  }

 private:
  SHA2_CTX context_{};
};

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

nlohmann::ordered_json to_json(const Provenance& p) {
  nlohmann::ordered_json object{{"device", p.subject.device},
                                {"driver", p.subject.driver},
                                {"variant", p.subject.variant},
                                {"settings", p.subject.settings},
                                {"nnvk", p.nnvk}};
  for (const auto& [name, member] : kTexts) object[name] = p.*member;
  object["seed"] = p.seed;
  object["cases"] = p.cases;
  if (p.seconds > 0) object["seconds"] = p.seconds;
  object["properties"] = nlohmann::ordered_json::array();
  for (const auto& property : p.properties) {
    object["properties"].push_back({{"group", property.group}, {"name", property.name}, {"value", property.value}});
  }
  return object;
}

Provenance provenance_from(const nlohmann::json& object) {
  Provenance p{.subject = {object.value("device", ""), object.value("driver", ""), object.value("variant", ""),
                           object.value("settings", "")},
               .nnvk = object.value("nnvk", ""),
               .seed = object.value("seed", uint64_t{0}),
               .cases = object.value("cases", size_t{0}),
               .seconds = object.value("seconds", 0.0)};
  for (const auto& [name, member] : kTexts) p.*member = object.value(name, "");
  for (const auto& property : object.value("properties", nlohmann::json::array())) {
    p.properties.push_back({property.value("group", ""), property.value("name", ""), property.value("value", "")});
  }
  return p;
}

const Provenance* provenance_of(const std::vector<Provenance>& provenances, const std::string& variant) {
  const auto found =
      std::ranges::find_if(provenances, [&](const Provenance& provenance) { return provenance.subject.variant == variant; });
  return found == provenances.end() ? nullptr : &*found;
}

std::vector<Property> facts(const Provenance& p) {
  std::vector<Property> list;
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) list.push_back({"run", name, std::move(value)});
  };
  add("nnvk", version_text(p));
  add("device", p.subject.device);
  add("driver", p.subject.driver);
  add("variant", p.subject.variant);
  add("forms of kernels", p.kernels);
  add("cases", p.cases == 0 ? "" : std::to_string(p.cases));
  add("vectors", p.vectors);
  add("SHA-256 of the vectors", p.vectors_digest);
  add("seed", p.nnvk.empty() ? "" : std::to_string(p.seed));
  add("settings", p.subject.settings);
  add("command line", p.options);
  add("environment", p.environment);
  add("started", p.started);
  add("duration", p.seconds > 0 ? fmt::format("{:.1f} s", p.seconds) : "");
  list.insert(list.end(), p.properties.begin(), p.properties.end());
  return list;
}

Result<std::string> vectors_digest(const std::filesystem::path& path) {
  TOOLS_ASSIGN(const auto files, vector_files(path));
  Digest whole;
  for (const auto& file : files) {
    TOOLS_ASSIGN(const auto content, read_file(file));
    Digest one;
    one.add(content);
    // The sum of a file has a fixed length, so that names and contents cannot be confused.
    whole.add(bytes_of(file == path ? file.filename().string() : file.lexically_relative(path).generic_string()));
    whole.add(one.end());
  }
  std::string text;
  for (const uint8_t byte : whole.end()) text += fmt::format("{:02x}", byte);
  return text;
}

std::string version_text(const Provenance& p) { return p.nnvk.empty() ? "" : fmt::format("{} (commit {})", p.nnvk, p.commit); }

std::string command_for(const Provenance& p, const std::string& case_name) {
  if (p.command.empty()) return "";
  return fmt::format("{}{}{} --case {}", p.environment, p.environment.empty() ? "" : " ", p.command, shell_word(case_name));
}

}  // namespace nnvk::tools::conformance
