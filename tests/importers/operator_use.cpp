#include "tests/importers/operator_use.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <regex>

#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"

namespace nnvk::test {
namespace {

std::string answer(const OperatorUse& use) {
  if (use.taken == 0) return "no";
  return use.left == 0 ? "yes" : "partly";
}

// A cell: no bar and no line break.
std::string cell(const std::set<std::string>& texts, std::string_view separator) {
  std::string joined = fmt::format("{}", fmt::join(texts, separator));
  for (char& letter : joined) {
    if (letter == '|' || letter == '\n') letter = '/';
  }
  return joined;
}

}  // namespace

void OperatorUse::add(const tools::ModelBuilder& model) {
  ++taken;
  for (const auto& operation : model.operations()) operations.insert(tools::operation_name(operation.code));
}

void OperatorUse::add_refusal(const std::string& reason) {
  ++left;
  const auto place = reason.find("): ");
  const std::string text = place == std::string::npos ? reason : reason.substr(place + 3);
  static const std::regex of_one_model(R"( '[^']*'| \[[0-9,?]*\])");
  reasons.insert(std::regex_replace(text, of_one_model, ""));
}

std::string to_markdown(const OperatorUses& uses) {
  std::string text = "| operator | taken | NNAPI operations | reasons to leave it |\n|---|---|---|---|\n";
  for (const auto& [name, use] : uses) {
    const std::string operations = use.taken > 0 && use.operations.empty() ? "(computed at import)" : cell(use.operations, ", ");
    text += fmt::format("| `{}` | {} | {} | {} |\n", name, answer(use), operations, cell(use.reasons, "; "));
  }
  return text;
}

std::string compare_document(const std::filesystem::path& file, const std::string& text) {
  if (std::getenv("NNVK_WRITE_DOCUMENTS") != nullptr) {
    const tools::Status written = tools::write_file(file.string(), text);
    return written ? "" : written.error().message;
  }
  const auto there = tools::read_text_file(file.string());
  if (!there) return there.error().message;
  if (*there == text) return "";
  return fmt::format("{} is not what the importer does now; write it again: run this test with NNVK_WRITE_DOCUMENTS=1",
                     file.string());
}

}  // namespace nnvk::test
