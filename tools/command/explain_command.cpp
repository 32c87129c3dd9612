// `nnvk explain`: which part of a model runs on which device and why, with predicted and measured times; can draw the model.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/loaded_model.h"
#include "tools/command/model_file.h"
#include "tools/command/progress.h"
#include "tools/nnapi/files.h"
#include "tools/reports/dot.h"
#include "tools/reports/page.h"
#include "tools/reports/svg.h"

namespace nnvk::tools {
namespace {

struct ExplainedFile {
  Explanation explanation;
  std::optional<ChosenDevices> choice;  // none if the compilation failed
};

// Compiles for the chosen devices and measures. If the compilation fails, the explanation gets the reason, and that is no error.
// `spec`: the value of --device.
Status try_on_devices(const importers::ImportedModel& model, std::span<const DeviceEntry> devices, const std::string& spec,
                      ExplainedFile& explained) {
  Explanation& explanation = explained.explanation;
  explanation.device = device_names(devices);
  const Progress progress("explaining", Progress::kUnknown);
  auto session = compile_model(model, devices);
  if (!session) {
    explanation.refusal = session.error().message;
    return {};
  }
  TOOLS_ASSIGN(explained.choice, choice_for(spec, model.builder, *session));
  print_choice(*explained.choice);
  if (explained.choice->is_librarys) explanation.device = fmt::format("{}", fmt::join(explained.choice->devices, ", "));
  TOOLS_ASSIGN(const auto placement, placement_of(*session));
  add_placement(explanation, placement);
  fill_with_made_up_inputs(model, *session);
  TOOLS_ASSIGN(explanation.measured_seconds, fastest_execution([&session] { return session->run(); }));
  TOOLS_ASSIGN(const auto nodes, profile_executions(*session, model.builder));
  add_measurement(explanation, nodes);
  return {};
}

// Lets Graphviz turn `dot` into an SVG file. Returns false if Graphviz is not installed.
Result<bool> draw_with_graphviz(const std::string& dot, const std::string& file) {
  std::FILE* const source = std::tmpfile();
  if (source == nullptr) return fail("cannot make a temporary file");
  const bool written = std::fwrite(dot.data(), 1, dot.size(), source) == dot.size() && std::fflush(source) == 0;
  std::rewind(source);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(source), STDIN_FILENO);
  std::string program = "dot";
  std::string format = "-Tsvg";
  std::string output = "-o" + file;
  char* const arguments[] = {program.data(), format.data(), output.data(), nullptr};
  pid_t child = 0;
  const int spawned = written ? ::posix_spawnp(&child, "dot", &actions, nullptr, arguments, environ) : 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  if (written && spawned == 0) ::waitpid(child, &status, 0);
  std::fclose(source);
  if (!written) return fail("cannot write a temporary file");
  if (spawned == ENOENT) return false;
  if (spawned != 0) return fail(fmt::format("cannot start Graphviz's `dot`: {}", std::strerror(spawned)));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return fail(fmt::format("Graphviz could not draw {}", file));
  return true;
}

Status draw(const Explanation& explanation, const ExplainOptions& options) {
  const std::string& file = options.graph;
  if (file.ends_with(".html")) {
    return write_file(file, to_page(explanation, std::filesystem::path(options.model).filename().string()));
  }
  const std::string dot = to_dot(explanation);
  if (file.ends_with(".dot")) return write_file(file, dot);
  TOOLS_ASSIGN(const bool is_drawn, draw_with_graphviz(dot, file));
  if (is_drawn) return {};
  report_note(fmt::format("Graphviz is not installed; {} has nnvk's own layout", file));
  return write_file(file, to_svg(explanation));
}

SourceNames source_names(const importers::ImportedModel& model) {
  SourceNames names{.operations = model.operation_origins, .inputs = {}, .outputs = {}};
  for (const auto& port : model.inputs) names.inputs.push_back(port.name);
  for (const auto& port : model.outputs) names.outputs.push_back(port.name);
  return names;
}

Result<ExplainedFile> explain_file(const ExplainOptions& options) {
  if (!options.graph.empty()) TOOLS_TRY(check_writable(options.graph));  // measuring takes long
  TOOLS_ASSIGN(const auto model, import_model_file(options.model, {.memory = options.memory}));
  TOOLS_ASSIGN(const auto devices, find_devices(options.device));
  ExplainedFile explained;
  TOOLS_ASSIGN(explained.explanation, explain(model.builder, source_names(model)));
  TOOLS_TRY(try_on_devices(model, devices, options.device, explained));
  return explained;
}

}  // namespace

int run_explain(const ExplainOptions& options) {
  const auto explained = explain_file(options);
  if (!explained) return report_error(explained.error());
  const Explanation& explanation = explained->explanation;
  if (options.json) {
    auto document = to_json(explanation);
    document["model"] = options.model;
    if (explained->choice) document["choice"] = to_json(*explained->choice);
    print_json(std::move(document));
  } else {
    fmt::print("model     {}\ndevice    {}\n{}", options.model, explanation.device, to_text(explanation));
  }
  if (options.graph.empty()) return kSuccess;
  const auto drawn = draw(explanation, options);
  return drawn ? kSuccess : report_error(drawn.error());
}

}  // namespace nnvk::tools
