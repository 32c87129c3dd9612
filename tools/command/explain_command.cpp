// `nnvk explain`: which part of a model runs on which device and why, with predicted and measured times; can draw the model.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/loaded_model.h"
#include "tools/command/model_file.h"
#include "tools/nnapi/files.h"
#include "tools/reports/explanation.h"

namespace nnvk::tools {
namespace {

// Compiles for the chosen devices and measures. A device that declines an operation is a finding, not an error.
Status try_on_devices(const importers::ImportedModel& model, std::span<const DeviceEntry> devices, Explanation& explanation) {
  explanation.device = device_names(devices);
  explanation.refusal.clear();
  auto session = compile_model(model, devices);
  if (!session) {
    explanation.refusal = session.error().message;
    return {};
  }
  TOOLS_ASSIGN(const auto placement, placement_of(*session));
  add_placement(explanation, placement);
  fill_with_made_up_inputs(model, *session);
  TOOLS_ASSIGN(explanation.measured_seconds, fastest_execution([&session] { return session->run(); }));
  TOOLS_ASSIGN(const auto nodes, profile_executions(*session, model.builder));
  add_measurement(explanation, nodes);
  return {};
}

// Lets Graphviz turn `dot` into an SVG file.
Status draw_svg(const std::string& dot, const std::string& file) {
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
  if (spawned != 0) {
    return fail(
        fmt::format("cannot start Graphviz's `dot`: {}; install graphviz, or ask for a .dot file", std::strerror(spawned)));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Status{} : fail(fmt::format("Graphviz could not draw {}", file));
}

Status draw(const Explanation& explanation, const std::string& file) {
  const std::string dot = to_dot(explanation);
  if (file.ends_with(".svg")) return draw_svg(dot, file);
  return write_file(file, dot);
}

Result<Explanation> explain_file(const ExplainOptions& options) {
  TOOLS_ASSIGN(const auto model, import_model_file(options.model, {.memory = options.memory}));
  TOOLS_ASSIGN(auto devices, find_devices(options.device));
  TOOLS_ASSIGN(auto explanation, explain(model.builder, model.operation_origins));
  TOOLS_TRY(try_on_devices(model, devices, explanation));
  if (!explanation.refusal.empty() && options.device.empty()) {
    // Without --device: the library chooses the devices.
    TOOLS_ASSIGN(devices, find_devices("auto"));
    TOOLS_TRY(try_on_devices(model, devices, explanation));
  }
  return explanation;
}

}  // namespace

int run_explain(const ExplainOptions& options) {
  const auto explanation = explain_file(options);
  if (!explanation) return report_error(explanation.error());
  if (options.json) {
    print_json(to_json(*explanation));
  } else {
    fmt::print("model     {}\ndevice    {}\n{}", options.model, explanation->device, to_text(*explanation));
  }
  if (options.graph.empty()) return kSuccess;
  const auto drawn = draw(*explanation, options.graph);
  return drawn ? kSuccess : report_error(drawn.error());
}

}  // namespace nnvk::tools
