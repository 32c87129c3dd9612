// The command line of `nnvk`: commands, options, their values and help. It and option_values.h alone use CLI11.
#include "tools/command/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <memory>

#include "tools/command/command.h"
#include "tools/command/nearest_word.h"
#include "tools/command/option_values.h"
#include "tools/command/version.h"
#include "tools/conformance/provenance.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

// The help of the option --device.
constexpr const char* kDeviceHelp =
    "vulkan, vulkan:N, cpu or a device's name (see `nnvk devices`); default: the first Vulkan device, else the CPU";

// Returns the help for a device option of commands that can leave the choice of devices to the library.
std::string devices_help() {
  return std::string(kDeviceHelp) + "; several names with commas, or `all`: they share the model; `auto`: the library chooses";
}

// The help of the option --cache.
constexpr const char* kCacheHelp = "Keep the compiled model in this folder; later runs start from there";

// Adds the option --memory, which the commands with a model file have.
void add_memory_option(CLI::App& command, uint64_t& memory) {
  command
      .add_option(
          "--memory", memory,
          "Limit for the memory of all tensors of the model: 500MiB, 8GiB, or bytes; nnvk refuses a file that needs more; "
          "default: 2GiB")
      ->type_name("SIZE")
      ->transform(byte_size());
}

// Each add_..._command registers a command. When CLI11 runs the command, it sets `exit_code`.
void add_devices_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("devices", "List devices with features, limits, driver and chosen plan");
  auto options = std::make_shared<DevicesOptions>();
  command->add_flag("--measure", options->measure, "Measure each device's peak compute and memory speed now; takes seconds");
  command->add_flag(
      "--calibrate", options->calibrate,
      "Measure how long operations take on each device, and keep that for later choices between devices; takes seconds");
  command->add_flag("--json", options->json, "Print JSON");
  auto* snapshot = command
                       ->add_option("--snapshot", options->snapshot,
                                    "Write the properties of a physical device to a file, for `nnvk kernels --device FILE.json`")
                       ->type_name("FILE.json");
  command->add_option("--device", options->device, "The device of the snapshot: its name; default: the first")->needs(snapshot);
  command->callback([options, &exit_code] { exit_code = run_devices(*options); });
}

// Adds the options that say how pictures become inputs, and how answers are shown.
void add_answer_options(CLI::App& command, RunOptions& options) {
  command
      .add_option("--labels", options.labels,
                  "Names of the classes, one per line; default: those that a .tflite file has with it")
      ->type_name("FILE");
  command
      .add_option(
          "--picture", options.picture,
          "Draw the answer onto the picture: boxes, key points, masks, classes. FILE.png, or a folder for several pictures")
      ->type_name("FILE");
  command
      .add_option("--min-score", options.least_score,
                  "Show detections and key points with this score or more (default: 0.5; points of people: 0.3)")
      ->type_name("SCORE")
      ->check(real_number("a number from 0 to 1", [](double score) { return score >= 0 && score <= 1; }));
  command.add_option("--mean", options.mean, "Value to subtract from each pixel of a picture; default: what the model expects")
      ->check(finite_number());
  command.add_option("--std", options.deviation, "Value by which pixels are then divided; default: what the model expects")
      ->check(finite_number())
      ->check([](const std::string& text) { return std::stod(text) == 0 ? std::string("must not be 0") : std::string(); });
}

void add_run_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("run", "Run a .tflite or .onnx model; print the device of each operation, the answer and the times");
  auto options = std::make_shared<RunOptions>();
  command->add_option("model", options->model, "The .tflite or .onnx file")->required();
  add_memory_option(*command, options->memory);
  auto* input =
      command
          ->add_option("--input", options->inputs,
                       "One file per model input: a picture (PNG, JPEG, BMP), resized to the input, or raw values; more "
                       "files are run one after the other. Default: random values")
          ->type_name("FILE");
  auto* watch = command
                    ->add_option("--watch", options->watch,
                                 "Run each picture that is written or moved into the folder, until Ctrl-C stops it")
                    ->type_name("FOLDER")
                    ->check(CLI::ExistingDirectory)
                    ->excludes(input);
  add_answer_options(*command, *options);
  command->add_option("--device", options->device, devices_help());
  command->add_option("--cache", options->cache, kCacheHelp)->type_name("FOLDER")->check(CLI::ExistingDirectory);
  command
      ->add_option("--runs", options->runs, "Number of executions for each input; default: 5, or 1 if there are several inputs")
      ->check(number_from(1, 1000000));
  command
      ->add_option("--output", options->output,
                   "Write the raw values of the output for the first input (several outputs: FILE.0, FILE.1, ...)")
      ->type_name("FILE")
      ->excludes(watch);
  command->add_flag("--profile", options->profile, "Also print counters and the time of every operation");
  command->add_flag("--json", options->json, "Print JSON; with --watch one line for each picture");
  command->footer(
      "nnvk run detector.tflite --input street.jpg --labels labels.txt --picture boxes.png\n"
      "docs/answers.md explains the answers; docs/tflite_operators.md and docs/onnx_operators.md list the operators that nnvk "
      "reads.");
  command->callback([options, &exit_code] { exit_code = run_model(*options); });
}

void add_bench_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("bench", "Measure a .tflite or .onnx model and each of its operations, as a share of the peak speed");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("model", options->model, "The .tflite or .onnx file")->required();
  add_memory_option(*command, options->memory);
  command->add_option("--device", options->device, std::string(kDeviceHelp) + "; one device: `nnvk benchmark` compares several");
  command->add_option("--cache", options->cache, kCacheHelp)->type_name("FOLDER")->check(CLI::ExistingDirectory);
  command->add_option("--runs", options->runs, "Number of measured executions")
      ->check(number_from(1, 1000000))
      ->capture_default_str();
  command->add_option("--warm-up", options->warm_up, "Executions before measuring")
      ->check(number_from(0, 1000000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] { exit_code = run_bench(*options); });
}

void add_benchmark_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  auto* command = app.add_subcommand(
      "benchmark",
      "Measure latency, memory, energy and accuracy of several models on all devices; docs/benchmark.md explains it");
  auto options = std::make_shared<BenchmarkOptions>();
  options->command_line = command_line;
  command->add_option("sources", options->sources,
                      "Manifests (.json), folders of models, .tflite and .onnx files; default: nnvk's own models");
  add_memory_option(*command, options->memory);
  command->add_option("--device", options->device,
                      "Devices with commas, each as in other commands, or `all`; default: all but nnapi-reference");
  command->add_option("--onnxruntime", options->onnxruntime, "Also measure ONNX Runtime's own code: its libonnxruntime.so.1")
      ->type_name("LIBRARY")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--tensorflow-lite", options->tensorflow_lite,
                   "Also measure TensorFlow Lite's own code: its libtensorflowlite_c.so")
      ->type_name("LIBRARY")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--threads", options->threads, "Threads of nnvk-cpu and of the frameworks; default: one per core, at most 8")
      ->check(number_from(1, 1024))
      ->type_name("N");
  command->add_option("--runs", options->runs, "Number of measured executions")
      ->check(number_from(1, 1000000))
      ->capture_default_str();
  command->add_option("--warm-up", options->warm_up, "Executions before measuring")
      ->check(number_from(0, 1000000))
      ->capture_default_str();
  command
      ->add_option("--seconds", options->seconds,
                   "Seconds that the measured executions of a model on a device may take; there are three at least")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--at-once", options->at_once, "Also measure N executions at once, from N threads")
      ->check(number_from(1, 1024))
      ->type_name("N");
  command
      ->add_option("--time-limit", options->time_limit,
                   "Seconds for everything; all models on the first device come first. The report says what was left out")
      ->check(positive_number())
      ->type_name("SECONDS");
  command->add_option("--csv", options->csv, "Write the figures as a table")->type_name("FILE");
  command->add_option("--report", options->report, "Write a page with charts (index.html), results.json and results.csv")
      ->type_name("FOLDER");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Exit codes: 0 measured, 1 nothing could be measured, 2 usage, 4 incomplete (the time limit or a signal left something "
      "out).");
  command->callback([options, &exit_code] { exit_code = run_benchmark(*options); });
}

void add_explain_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "explain", "Explain which device runs each operation of a model and why, with predicted and measured times");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option("model", options->model, "The .tflite or .onnx file")->required();
  add_memory_option(*command, options->memory);
  command->add_option("--device", options->device, devices_help());
  command
      ->add_option(
          "--graph", options->graph,
          "Draw the graph: FILE.html (a page with the facts about each operation), FILE.svg (by Graphviz's `dot` if it is "
          "installed) or FILE.dot")
      ->type_name("FILE")
      ->check([](const std::string& file) {
        const bool is_known = file.ends_with(".dot") || file.ends_with(".svg") || file.ends_with(".html");
        return is_known ? std::string() : std::string("must end with .html, .svg or .dot");
      });
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] { exit_code = run_explain(*options); });
}

void add_kernels_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("kernels", "List a model's kernels: why nnvk chose each, and the statistics of the driver's compiler");
  auto options = std::make_shared<KernelsOptions>();
  auto* model = command->add_option("model", options->model, "The .tflite or .onnx file");
  add_memory_option(*command, options->memory);
  auto* registry = command->add_flag("--registry", options->registry,
                                     "Instead of a model: every pipeline that operations of all kinds and sizes choose");
  auto* compare = command->add_option("--compare", options->compare, "Compare two lists that --json wrote")
                      ->type_name("A B")
                      ->expected(2)
                      ->check(CLI::ExistingFile);
  model->excludes(registry)->excludes(compare);
  registry->excludes(compare);
  command->add_option("--threads", options->threads, "Threads of --registry; default: one per processor")
      ->check(CLI::Range(1, 1024))
      ->needs(registry);
  command
      ->add_option("--resume", options->resume,
                   "With --registry: keep finished parts in FILE, and continue there after a run of the same build was stopped")
      ->type_name("FILE")
      ->needs(registry);
  command->add_option(
      "--device", options->device,
      "A physical device of any Vulkan driver, hardware or not: its name, vulkan or vulkan:N; or a snapshot: FILE.json "
      "(`nnvk devices --snapshot`); default: the first");
  command
      ->add_option("--variant", options->variant,
                   "List the kernels of this variant: texel (they read texel buffers) or words (they read 32-bit words of "
                   "storage buffers); default: the variant that nnvk chooses for the device")
      ->check(one_of({"texel", "words"}));
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "AMD's compiler without AMD's hardware, in Mesa's RADV (polaris10, vega10, navi10, navi21, gfx1100, ...):\n"
      "RADV_FORCE_FAMILY=navi21 VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/radeon_icd.x86_64.json nnvk kernels MODEL");
  command->callback([options, &exit_code] {
    if (options->model.empty() && !options->registry && options->compare.empty()) {
      throw CLI::RequiredError("model, --registry or --compare");
    }
    exit_code = run_kernels(*options);
  });
}

void add_upscale_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("upscale", "Make a picture twice as large by the network in models/ (or another one)");
  auto options = std::make_shared<UpscaleOptions>();
  command->add_option("input", options->input, "A picture (PNG, JPEG, BMP)")->required();
  command->add_option("output", options->output, "The PNG to write; may be left out with --measure")
      ->check([](const std::string& file) {
        const std::string extension = std::filesystem::path(file).extension().string();
        const bool is_png = extension.empty() || extension == ".png" || extension == ".PNG";
        return is_png ? std::string() : fmt::format("must end with .png, the only format that nnvk writes, not '{}'", extension);
      });
  command->add_option("--model", options->model, "A .tflite network from pictures [1,h,w,3] to larger ones")->type_name("FILE");
  command->add_option("--device", options->device, kDeviceHelp);
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--measure", options->measure,
                    "Halve the picture first, and print the PSNR of the network and of the bicubic filter over its RGB values");
  command->callback([options, &exit_code] {
    if (options->output.empty() && !options->measure) throw CLI::RequiredError("output");
    exit_code = run_upscale(*options);
  });
}

void add_trace_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("trace", "Sum up traces (NNVK_TRACE=FILE, Chrome's JSON) by phase and layer");
  auto options = std::make_shared<TraceOptions>();
  command->add_option("files", options->files, "Traces recorded at the same time: the library's, and others with NNAPI's names")
      ->required();
  command->add_flag("--per-execution", options->per_execution,
                    "I/O, compute and results of one execution, on average; without the warm-up, if the application marks it");
  command->add_flag("--total-times", options->total_times, "Times of a layer with those of the layers inside, not self-times");
  auto* detail = command->add_flag("--print-detail", options->print_detail, "Also print every section of every thread");
  command->add_flag("--json", options->json, "Print JSON, with both kinds of times")->excludes(detail);
  command->footer(
      "NNVK_TRACE=t.json nnvk run MODEL && nnvk trace t.json\n"
      "Options and definitions are those of Android's systrace parser (docs/nnapi/log_and_trace.md#the-table-of-a-trace).\n"
      "Sections are counted by their names, \"[NN_<layer>_<phase>]...\"; applications write theirs as [NN_LA_PE]... into this\n"
      "trace with nnvk_traceBegin() (<nnvk/diagnostics.h>), or into a file of their own.");
  command->callback([options, &exit_code] { exit_code = run_trace(*options); });
}

void add_soak_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("soak", "Execute one compilation from many threads and check answers and memory");
  auto options = std::make_shared<SoakOptions>();
  auto* model = command->add_option("model", options->model, "The .tflite or .onnx file");
  add_memory_option(*command, options->memory);
  auto* mode =
      command
          ->add_option("--mode", options->mode,
                       "Without a model: add two numbers --executions times, in bursts (burst) or in fenced executions (fenced)")
          ->check(one_of({"burst", "fenced"}))
          ->excludes(model);
  command->add_option("--executions", options->executions, "Number of executions")
      ->check(number_from(uint64_t{2000}, uint64_t{1'000'000'000}))
      ->needs(mode)
      ->capture_default_str();
  command->add_option("--device", options->device, kDeviceHelp);
  command->add_option("--threads", options->threads, "Threads that execute at the same time")
      ->check(number_from(1, 1024))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "Time to run")->check(number_from(1, 1000000))->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] {
    if (options->model.empty() && options->mode.empty()) throw CLI::RequiredError("model or --mode");
    exit_code = options->mode.empty() ? run_soak(*options) : run_counted_soak(*options);
  });
}

void add_selection(CLI::App& command, ConformanceOptions& options) {
  command.add_option("--vectors", options.vectors, "A folder with .jsonl vector files, or one such file");
  command.add_flag("--generated", options.generated, "The built-in cases, with expectations from the reference device");
  command
      .add_option("--random-graphs", options.random_graphs,
                  "N random models of 10 to 20 operations, every fifth with an invalid operand, against the reference device")
      ->type_name("N");
  command
      .add_option("--random-nestings", options.random_nestings,
                  "N random models of IF and WHILE up to five levels deep, against the reference device")
      ->type_name("N");
  command.add_option("--seed", options.seed, "Seed for the values of built-in cases and for random models; default 1");
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
  command
      .add_option("--device", options.device,
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
      ->type_name("MODE");
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
      ->check(positive_number())
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

void add_reports(CLI::App& command, ConformanceOptions& options) {
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
      ->check(CLI::ExistingPath);
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
  command.add_flag("--json", options.json, "Print JSON instead of lines");
}

void add_conformance_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  auto* command = app.add_subcommand("conformance", "Run conformance cases on a device");
  auto options = std::make_shared<ConformanceOptions>();
  options->command_line = command_line;
  add_selection(*command, *options);
  add_execution(*command, *options);
  add_reports(*command, *options);
  command->footer(
      "Exit codes: 0 conformant, 1 some failed, 2 usage, 3 no such device, 4 incomplete (cases without a result, results that "
      "could\n"
      "not be written, or more skipped cases than allowed). Processes that run the cases are started again after a crash, a "
      "hang\n"
      "or a lost device. SIGINT and SIGTERM end the run with a summary of the results so far; --resume goes on.");
  command->callback([options, &exit_code] { exit_code = run_conformance(*options); });
}

void add_gpu_check_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  auto* command = app.add_subcommand(
      "gpu-check",
      "Check a GPU and its driver in a few minutes: results, speed, latency, validation; docs/gpu_check.md explains it");
  auto options = std::make_shared<GpuCheckOptions>();
  options->command_line = command_line;
  command->add_option("--device", options->device, "vulkan, vulkan:N or a device's name (see `nnvk devices`)")
      ->capture_default_str();
  command->add_option("--minutes", options->minutes, "Minutes for everything; the most telling checks come first")
      ->check(positive_number())
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--vectors", options->vectors,
                   "A folder with .jsonl vector files, or one such file, to run beside the built-in conformance cases")
      ->check(CLI::ExistingPath);
  command->add_option("--models", options->models, "Manifests, folders of models or models to measure beside nnvk's own")
      ->check(CLI::ExistingPath);
  command->add_option("--jobs", options->jobs, "Processes that run conformance cases on the device at the same time")
      ->check(number_from(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--report", options->report,
                   "A new or empty folder for the page (index.html), report.json, the record of all cases, the device's snapshot "
                   "and the log; default: nnvk-gpu-check-DATE")
      ->type_name("FOLDER");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Exit codes: 0 nothing is wrong, 1 something is, 2 usage, 3 no Vulkan device, 4 a signal ended the check early. A check "
      "whose\n"
      "time does not suffice for all conformance cases is no failure: the page says how many ran.");
  command->callback([options, &exit_code] { exit_code = run_gpu_check(*options); });
}

void add_operations_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("operations", "List the operations and types that run on the CPU and on Vulkan, as a Markdown table");
  auto options = std::make_shared<OperationsOptions>();
  command->add_option("--output", options->output, "Write the table to this file")->type_name("FILE");
  command->add_option("--check", options->check, "Compare the table with this file; exit code 1 when it differs")
      ->type_name("FILE");
  command->callback([options, &exit_code] { exit_code = run_operations(*options); });
}

// Returns "; did you mean WORD?", or "" if no word is near.
std::string suggestion(const std::string& given, const std::vector<std::string>& words) {
  const std::string nearest = nearest_word(given, words);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// Reads the command line, of which the first word must name a command, and runs the command.
void parse(CLI::App& app, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "-";
  bool is_known = first.starts_with('-');  // an option
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    is_known = is_known || command->get_name() == first;
    names.push_back(command->get_name());
  }
  if (!is_known) {
    const auto text = fmt::format("nnvk has no such command; its commands are {}", fmt::join(names, ", "));
    throw CLI::ValidationError(first, text + suggestion(first, names));
  }
  app.parse(argc, argv);
  if (app.get_subcommands().empty())
    throw CLI::ValidationError("nnvk needs a command", fmt::format("{}", fmt::join(names, ", ")));
}

// Returns the text of an error about the command line. It names the first word that the command does not know.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "nnvk" : "nnvk " + command.get_name();
  std::string text = error.what();
  const auto unknown = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unknown.empty()) {
    const auto option = std::ranges::find_if(unknown, [](const std::string& word) { return word.starts_with('-'); });
    if (option == unknown.end()) {
      text = fmt::format("{} takes no further word '{}'", name, unknown.front());
    } else {
      std::vector<std::string> options;
      for (const auto* known : command.get_options()) {
        for (const auto& word : known->get_lnames()) options.push_back("--" + word);
      }
      text = fmt::format("{} has no option {}", name, *option) + suggestion(*option, options);
    }
  }
  return fmt::format("{} (`{} --help` explains the {})", text, name, chosen.empty() ? "commands" : "options");
}

}  // namespace

int run_command_line(int argc, char** argv) {
  std::string command_line = "nnvk";
  for (int i = 1; i < argc; ++i) command_line += " " + conformance::shell_word(argv[i]);
  CLI::App app{"nnvk: neural networks on Vulkan through the NNAPI C API"};
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", std::string("nnvk ") + nnvk_version() + " (commit " + nnvk_commit() + ")");
  app.set_help_all_flag("--help-all", "Help for all commands");
  int exit_code = kSuccess;
  try {
    add_devices_command(app, exit_code);
    add_run_command(app, exit_code);
    add_bench_command(app, exit_code);
    add_benchmark_command(app, command_line, exit_code);
    add_explain_command(app, exit_code);
    add_kernels_command(app, exit_code);
    add_upscale_command(app, exit_code);
    add_trace_command(app, exit_code);
    add_soak_command(app, exit_code);
    add_conformance_command(app, command_line, exit_code);
    add_gpu_check_command(app, command_line, exit_code);
    add_operations_command(app, exit_code);
    parse(app, argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return report_error({usage_error(app, error)}, kUsage);
    app.exit(error);  // prints the help or the version
    return kSuccess;
  } catch (const std::exception& error) {
    return report_error({error.what()});
  }
  const Status printed = finish_standard_output();
  return printed || exit_code != kSuccess ? exit_code : report_error(printed.error());
}

}  // namespace nnvk::tools
