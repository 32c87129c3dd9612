// The commands that test and sum up: their options and help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "tools/command/command.h"
#include "tools/command/command_line.h"
#include "tools/command/commands.h"

namespace nnvk::tools {
namespace {

constexpr uint32_t kMostRandomCases = 100'000'000;

void add_trace_command(Commands& commands) {
  auto* command = commands.add("trace", "Sum up traces (NNVK_TRACE=FILE, Chrome's JSON) by phase and layer");
  auto options = std::make_shared<TraceOptions>();
  command->add_option("files", options->files, "Traces recorded at the same time: the library's, and others with NNAPI's names")
      ->type_name("FILE")
      ->required();
  command->add_flag("--per-execution", options->per_execution,
                    "I/O, compute and results of one execution, on average; without the warm-up, if the application marks it");
  command->add_flag("--total-times", options->total_times, "Times of a layer with those of the layers inside, not self-times");
  auto* detail = command->add_flag("--print-detail", options->print_detail, "Also print every section of every thread");
  add_json_option(*command, options->json, "Print JSON, with both kinds of times")->excludes(detail);
  command->footer(
      "NNVK_TRACE=t.json nnvk run MODEL && nnvk trace t.json\n"
      "Options and definitions are those of Android's systrace parser (docs/nnapi/log_and_trace.md#the-table-of-a-trace).\n"
      "Sections are counted by their names, \"[NN_<layer>_<phase>]...\"; applications write theirs as [NN_LA_PE]... into this\n"
      "trace with nnvk_traceBegin() (<nnvk/diagnostics.h>), or into a file of their own.");
  commands.on_run(*command, [options] { return run_trace(*options); });
}

void add_soak_command(Commands& commands) {
  auto* command = commands.add("soak", "Execute one compilation from many threads and check answers and memory");
  auto options = std::make_shared<SoakOptions>();
  auto* model = command->add_option("model", options->model, "The .tflite or .onnx file")->type_name("FILE");
  add_memory_option(*command, options->memory);
  auto* mode =
      command
          ->add_option("--mode", options->mode,
                       "Without a model: add two numbers --executions times, in bursts (burst) or in fenced executions (fenced)")
          ->type_name("burst|fenced")
          ->check(one_of({"burst", "fenced"}))
          ->excludes(model);
  command->add_option("--executions", options->executions, "Number of executions")
      ->check(number_from(uint64_t{2000}, uint64_t{1'000'000'000}))
      ->needs(mode)
      ->capture_default_str();
  add_device_option(*command, options->device, device_help());
  command->add_option("--threads", options->threads, "Threads that execute at the same time")
      ->check(number_from(1, 1024))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "Time to run")->check(number_from(1, 1000000))->capture_default_str();
  add_json_option(*command, options->json);
  commands.on_run(*command, [options] {
    if (options->model.empty() && options->mode.empty()) throw CLI::RequiredError("model or --mode");
    return options->mode.empty() ? run_soak(*options) : run_counted_soak(*options);
  });
}

void add_selection(CLI::App& command, ConformanceOptions& options) {
  command.add_option("--vectors", options.vectors, "A folder with .jsonl vector files, or one such file")->type_name("FILE");
  command.add_flag("--generated", options.generated, "The built-in cases, with expectations from the reference device");
  command
      .add_option("--random-graphs", options.random_graphs,
                  "N random models of 10 to 20 operations, every fifth with an invalid operand, against the reference device")
      ->check(number_from(uint32_t{0}, kMostRandomCases))
      ->type_name("N");
  command
      .add_option("--random-nestings", options.random_nestings,
                  "N random models of IF and WHILE up to five levels deep, against the reference device")
      ->check(number_from(uint32_t{0}, kMostRandomCases))
      ->type_name("N");
  command.add_option("--seed", options.seed, "Seed for the values of built-in cases and for random models; default 1")
      ->check(number_from(uint64_t{0}))
      ->type_name("N");
  command.add_flag("--against-reference", options.against_reference,
                   "Vectors: expect what the reference device computes, integers to the bit, instead of what the files hold");
  auto& selection = options.selection;
  command
      .add_option(
          "--case", selection.patterns,
          "Only cases whose dotted or plain name matches one of these globs (* ? [..]), or contains it when it is not a glob")
      ->type_name("PATTERN");
  command.add_option("--exclude", selection.excluded, "Leave out the cases that match one of these patterns")
      ->type_name("PATTERN");
  command.add_option("--case-list", selection.case_list, "Only the cases named in this file, one per line; # starts a comment")
      ->type_name("FILE");
  command.add_option("--op", selection.operations, "Only cases with one of these operations, as in CONV_2D")->type_name("NAME");
  command.add_option("--family", selection.families, "Only cases of these families, as in pooling")->type_name("NAME");
  command
      .add_option("--fraction", selection.fraction,
                  "Only part I when the cases are divided into N parts by their names, as in 2/8")
      ->type_name("I/N");
  command.add_flag("--describe", options.describe, "Print the model of each case before it runs");
  command.add_flag("--list", options.list,
                   "Print the names of the chosen cases and stop; needs no device. With --json also families, types, operations");
}

void add_execution(CLI::App& command, ConformanceOptions& options) {
  add_device_option(
      command, options.device,
      "vulkan, vulkan:N, cpu or a device's name (see `nnvk devices`); without a Vulkan device the CPU must be named")
      ->capture_default_str();
  command.add_option("--variant", options.variant,
                     "Kernels of a Vulkan device: one of its variants, such as texel or words, or all (one after the other)");
  command
      .add_option(
          "--kernels", options.kernels,
          "Forms of a Vulkan device's kernels instead of those that it would choose, with commas; `nnvk devices` lists them")
      ->type_name("FORMS");
  std::vector<std::string> modes;
  for (const auto mode : conformance::kModes) modes.emplace_back(conformance::mode_name(mode));
  command
      .add_option("--mode", options.run.mode,
                  "How nnvk executes the cases: sync, async, burst, fenced, reusable (each case at least twice), or mixed (each "
                  "case in one of these ways); default: sync")
      ->transform(place_of(modes))
      ->type_name(fmt::format("{}", fmt::join(modes, "|")));
  command.add_option("--repeat", options.run.repeat, "Computes each case N times; the outputs must be the same to the bit")
      ->check(number_from(1, 1000000))
      ->type_name("N");
  command
      .add_option("--case-timeout", options.case_timeout,
                  "Seconds that the process of a case may wait in one computation, or six times as many while it keeps the "
                  "processor busy; a case without a result by then failed, and its process is ended")
      ->check(number_from(1, 100000))
      ->type_name("S")
      ->capture_default_str();
  command
      .add_option("--time-limit", options.time_limit,
                  "Seconds for everything; the cases that run are then spread evenly over all families. Ends with exit code 4 if "
                  "cases are left, which --resume runs")
      ->check(positive_number(kMostSeconds))
      ->type_name("SECONDS");
  command.add_option("--jobs", options.jobs, "Processes that run cases on the device at the same time")
      ->check(number_from(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--retry", options.retry,
                  "Run a failed case again up to N times; one that passes then counts as passed, and is listed as flaky")
      ->check(number_from(0, 1000))
      ->type_name("N");
}

void add_reports(Commands& commands, CLI::App& command, ConformanceOptions& options) {
  command
      .add_option("--results", options.results,
                  "Write one JSON line per case as soon as it has a result, below a line that names device, driver and variant")
      ->type_name("FILE");
  command.add_flag("--resume", options.resume,
                   "Go on with an existing --results file: skip the cases that have a result on this device with this driver, "
                   "variant and seed. Cases that crashed, hung or lost the device run again");
  command
      .add_option("--baseline", options.baseline,
                  "Compare with an earlier --results file of this device: list new failures, fixed cases and unchanged failures. "
                  "Only new failures make the exit code 1; a case that passed there and is skipped now is one of them")
      ->type_name("FILE");
  command
      .add_option("--report", options.report,
                  "Write a page (index.html), a summary and dumps of failures into this folder. Without --results, the record is "
                  "results.jsonl there")
      ->type_name("FOLDER");
  command
      .add_option("--compare", options.compare,
                  "Run nothing: compare two results files, or two folders of reports; with --report as a page. Exit code 1 if "
                  "there are new failures")
      ->type_name("A B")
      ->expected(2)
      ->check(commands.existing_path("--compare"));
  command.add_option("--junit", options.junit, "Write the results as JUnit XML")->type_name("FILE");
  command.add_option("--csv", options.csv, "Write the results as a table")->type_name("FILE");
  command
      .add_option(
          "--waivers", options.waivers,
          "Accepted failures: a JSON array of {case, reason, expires: YYYY-MM-DD, device, variant}; expired ones are errors")
      ->type_name("FILE");
  command.add_option("--max-not-supported", options.max_not_supported, "Exit with code 4 if more cases than this are skipped")
      ->check(number_from(int64_t{0}))
      ->type_name("N");
  add_json_option(command, options.json, "Print JSON instead of lines");
}

void add_conformance_command(Commands& commands) {
  auto* command = commands.add("conformance", "Run conformance cases on a device");
  auto options = std::make_shared<ConformanceOptions>();
  options->command_line = commands.command_line();
  add_selection(*command, *options);
  add_execution(*command, *options);
  add_reports(commands, *command, *options);
  command->footer(
      "Exit codes: 0 conformant, 1 some failed, 2 usage, 3 no such device, 4 incomplete (cases without a result, results that "
      "could\n"
      "not be written, or more skipped cases than allowed). Processes that run the cases are started again after a crash, a "
      "hang\n"
      "or a lost device. SIGINT and SIGTERM end the run with a summary of the results so far; --resume goes on.");
  commands.on_run(*command, [options] { return run_conformance(*options); });
}

void add_gpu_check_command(Commands& commands) {
  auto* command = commands.add(
      "gpu-check",
      "Check a GPU and its driver in a few minutes: results, speed, latency, validation; docs/gpu_check.md explains it");
  auto options = std::make_shared<GpuCheckOptions>();
  options->command_line = commands.command_line();
  add_device_option(*command, options->device, "vulkan, vulkan:N or a device's name (see `nnvk devices`)")->capture_default_str();
  command->add_option("--minutes", options->minutes, "Minutes for everything; the most telling checks come first")
      ->check(positive_number(kMostSeconds / 60))
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--vectors", options->vectors,
                   "A folder with .jsonl vector files, or one such file, to run beside the built-in conformance cases")
      ->check(commands.existing_path("--vectors"));
  command->add_option("--models", options->models, "Manifests, folders of models or models to measure beside nnvk's own")
      ->check(commands.existing_path("--models"));
  command->add_option("--jobs", options->jobs, "Processes that run conformance cases on the device at the same time")
      ->check(number_from(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--report", options->report,
                   "A new or empty folder for the page (index.html), report.json, the record of all cases, the device's snapshot "
                   "and the log; default: nnvk-gpu-check-DATE")
      ->type_name("FOLDER");
  add_json_option(*command, options->json);
  command->footer(
      "Exit codes: 0 nothing is wrong, 1 something is, 2 usage, 3 no Vulkan device, 4 a signal ended the check early. A check "
      "whose\n"
      "time does not suffice for all conformance cases is no failure: the page says how many ran.");
  commands.on_run(*command, [options] { return run_gpu_check(*options); });
}

void add_operations_command(Commands& commands) {
  auto* command =
      commands.add("operations", "List the operations and types that run on the CPU and on Vulkan, as a Markdown table");
  auto options = std::make_shared<OperationsOptions>();
  command->add_option("--output", options->output, "Write the table to this file")->type_name("FILE");
  command->add_option("--check", options->check, "Compare the table with this file; exit code 1 when it differs")
      ->type_name("FILE");
  add_json_option(*command, options->json, "Print JSON instead of the table")->excludes("--output")->excludes("--check");
  commands.on_run(*command, [options] { return run_operations(*options); });
}

void add_completion_command(Commands& commands) {
  auto* command = commands.add("completion", "Print a script with which a shell completes the command line");
  auto options = std::make_shared<CompletionOptions>();
  auto* shell = command->add_option("shell", options->shell, "The shell")
                    ->type_name("bash|zsh|fish")
                    ->check(one_of({"bash", "zsh", "fish"}));
  add_json_option(*command, options->json, "Print the commands and their options as JSON")->excludes(shell);
  command->footer(
      "bash: source <(nnvk completion bash); zsh: source <(nnvk completion zsh), after compinit; fish: nnvk completion fish | "
      "source\n"
      "An installed nnvk has these lines where shells look for them.");
  commands.on_run(*command, [options, &commands] {
    if (options->shell.empty() && !options->json) throw CLI::RequiredError("shell");
    return run_completion(*options, commands.app());
  });
}

}  // namespace

void add_test_commands(Commands& commands) {
  add_trace_command(commands);
  add_soak_command(commands);
  add_conformance_command(commands);
  add_gpu_check_command(commands);
  add_operations_command(commands);
  add_completion_command(commands);
}

}  // namespace nnvk::tools
