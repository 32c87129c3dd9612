// The commands for models and devices: their options and help.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "tools/command/command.h"
#include "tools/command/commands.h"

namespace nnvk::tools {
namespace {

// The help of the option --cache.
constexpr const char* kCacheHelp = "Keep the compiled model in this folder; later runs start from there";

void add_devices_command(Commands& commands) {
  auto* command = commands.add("devices", "List devices with features, limits, driver and chosen plan");
  auto options = std::make_shared<DevicesOptions>();
  command->add_flag("--measure", options->measure, "Measure each device's peak compute and memory speed now; takes seconds");
  command->add_flag(
      "--calibrate", options->calibrate,
      "Measure how long operations take on each device, and keep that for later choices between devices; takes seconds");
  add_json_option(*command, options->json);
  auto* snapshot = command
                       ->add_option("--snapshot", options->snapshot,
                                    "Write the properties of a physical device to a file, for `nnvk kernels --device FILE.json`")
                       ->type_name("FILE.json");
  command->add_option("--device", options->device, "The device of the snapshot: its name; default: the first")
      ->type_name("DEVICE")
      ->needs(snapshot);
  command->add_flag("--names", options->names, "Print only the names of the devices, one on each line")
      ->excludes(snapshot)
      ->excludes("--json")
      ->excludes("--measure")
      ->excludes("--calibrate");
  commands.on_run(*command, [options] { return run_devices(*options); });
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

void add_run_command(Commands& commands) {
  auto* command =
      commands.add("run", "Run a .tflite or .onnx model; print the device of each operation, the answer and the times");
  auto options = std::make_shared<RunOptions>();
  command->add_option("model", options->model, "The .tflite or .onnx file")->type_name("FILE")->required();
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
                    ->check(commands.existing_folder("--watch"))
                    ->excludes(input);
  add_answer_options(*command, *options);
  add_device_option(*command, options->device, device_help());
  command->add_option("--cache", options->cache, kCacheHelp)->type_name("FOLDER")->check(commands.existing_folder("--cache"));
  command
      ->add_option("--runs", options->runs, "Number of executions for each input; default: 5, or 1 if there are several inputs")
      ->check(number_from(1, 1000000));
  command
      ->add_option("--output", options->output,
                   "Write the raw values of the output for the first input (several outputs: FILE.0, FILE.1, ...)")
      ->type_name("FILE")
      ->excludes(watch);
  command->add_flag("--profile", options->profile, "Also print counters and the time of every operation");
  add_json_option(*command, options->json, "Print JSON; with --watch one line for each picture");
  command->footer(
      "nnvk run detector.tflite --input street.jpg --labels labels.txt --picture boxes.png\n"
      "docs/answers.md explains the answers; docs/tflite_operators.md and docs/onnx_operators.md list the operators that nnvk "
      "reads.");
  commands.on_run(*command, [options] { return run_model(*options); });
}

void add_bench_command(Commands& commands) {
  auto* command =
      commands.add("bench", "Measure a .tflite or .onnx model and each of its operations, as a share of the peak speed");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("model", options->model, "The .tflite or .onnx file")->type_name("FILE")->required();
  add_memory_option(*command, options->memory);
  add_device_option(*command, options->device, device_help() + "; `nnvk benchmark` compares devices");
  command->add_option("--cache", options->cache, kCacheHelp)->type_name("FOLDER")->check(commands.existing_folder("--cache"));
  command->add_option("--runs", options->runs, "Number of measured executions")
      ->check(number_from(1, 1000000))
      ->capture_default_str();
  command->add_option("--warm-up", options->warm_up, "Executions before measuring")
      ->check(number_from(0, 1000000))
      ->capture_default_str();
  add_json_option(*command, options->json);
  commands.on_run(*command, [options] { return run_bench(*options); });
}

void add_benchmark_command(Commands& commands) {
  auto* command = commands.add(
      "benchmark",
      "Measure latency, memory, energy and accuracy of several models on all devices; docs/benchmark.md explains it");
  auto options = std::make_shared<BenchmarkOptions>();
  options->command_line = commands.command_line();
  command
      ->add_option("sources", options->sources,
                   "Manifests (.json), folders of models, .tflite and .onnx files; default: nnvk's own models")
      ->type_name("FILE");
  add_memory_option(*command, options->memory);
  add_device_option(*command, options->device,
                    "Devices with commas, each as in other commands, or `all`; default: all but nnapi-reference");
  command->add_option("--onnxruntime", options->onnxruntime, "Also measure ONNX Runtime's own code: its libonnxruntime.so.1")
      ->type_name("LIBRARY")
      ->check(commands.existing_file("--onnxruntime"));
  command
      ->add_option("--tensorflow-lite", options->tensorflow_lite,
                   "Also measure TensorFlow Lite's own code: its libtensorflowlite_c.so")
      ->type_name("LIBRARY")
      ->check(commands.existing_file("--tensorflow-lite"));
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
      ->check(positive_number(kMostSeconds))
      ->capture_default_str();
  command->add_option("--at-once", options->at_once, "Also measure N executions at once, from N threads")
      ->check(number_from(1, 1024))
      ->type_name("N");
  command
      ->add_option("--time-limit", options->time_limit,
                   "Seconds for everything; all models on the first device come first. The report says what was left out")
      ->check(positive_number(kMostSeconds))
      ->type_name("SECONDS");
  command->add_option("--csv", options->csv, "Write the figures as a table")->type_name("FILE");
  command->add_option("--report", options->report, "Write a page with charts (index.html), results.json and results.csv")
      ->type_name("FOLDER");
  add_json_option(*command, options->json);
  command->footer(
      "Exit codes: 0 measured, 1 nothing could be measured, 2 usage, 4 incomplete (the time limit or a signal left something "
      "out).");
  commands.on_run(*command, [options] { return run_benchmark(*options); });
}

void add_explain_command(Commands& commands) {
  auto* command =
      commands.add("explain", "Explain which device runs each operation of a model and why, with predicted and measured times");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option("model", options->model, "The .tflite or .onnx file")->type_name("FILE")->required();
  add_memory_option(*command, options->memory);
  add_device_option(*command, options->device, device_help());
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
  add_json_option(*command, options->json);
  commands.on_run(*command, [options] { return run_explain(*options); });
}

void add_kernels_command(Commands& commands) {
  auto* command =
      commands.add("kernels", "List a model's kernels: why nnvk chose each, and the statistics of the driver's compiler");
  auto options = std::make_shared<KernelsOptions>();
  auto* model = command->add_option("model", options->model, "The .tflite or .onnx file")->type_name("FILE");
  add_memory_option(*command, options->memory);
  auto* registry = command->add_flag("--registry", options->registry,
                                     "Instead of a model: every pipeline that operations of all kinds and sizes choose");
  auto* compare = command->add_option("--compare", options->compare, "Compare two lists that --json wrote")
                      ->type_name("A B")
                      ->expected(2)
                      ->check(commands.existing_file("--compare"));
  model->excludes(registry)->excludes(compare);
  registry->excludes(compare);
  command->add_option("--threads", options->threads, "Threads of --registry; default: one per processor")
      ->check(number_from(1, 1024))
      ->needs(registry);
  command
      ->add_option("--resume", options->resume,
                   "With --registry: keep finished parts in FILE, and continue there after a run of the same build was stopped")
      ->type_name("FILE")
      ->needs(registry);
  add_device_option(
      *command, options->device,
      "A physical device of any Vulkan driver, hardware or not: its name, vulkan or vulkan:N; or a snapshot: FILE.json "
      "(`nnvk devices --snapshot`); default: the first");
  command
      ->add_option("--variant", options->variant,
                   "List the kernels of this variant: texel (they read texel buffers) or words (they read 32-bit words of "
                   "storage buffers); default: the variant that nnvk chooses for the device")
      ->type_name("texel|words")
      ->check(one_of({"texel", "words"}));
  add_json_option(*command, options->json);
  command->footer(
      "AMD's compiler without AMD's hardware, in Mesa's RADV (polaris10, vega10, navi10, navi21, gfx1100, ...):\n"
      "RADV_FORCE_FAMILY=navi21 VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/radeon_icd.x86_64.json nnvk kernels MODEL");
  commands.on_run(*command, [options] {
    if (options->model.empty() && !options->registry && options->compare.empty()) {
      throw CLI::RequiredError("model, --registry or --compare");
    }
    return run_kernels(*options);
  });
}

void add_upscale_command(Commands& commands) {
  auto* command = commands.add("upscale", "Make a picture twice as large by the network in models/ (or another one)");
  auto options = std::make_shared<UpscaleOptions>();
  command->add_option("input", options->input, "A picture (PNG, JPEG, BMP)")->type_name("FILE")->required();
  command->add_option("output", options->output, "The PNG to write; may be left out with --measure")
      ->type_name("FILE")
      ->check([](const std::string& file) {
        const std::string extension = std::filesystem::path(file).extension().string();
        const bool is_png = extension.empty() || extension == ".png" || extension == ".PNG";
        return is_png ? std::string() : fmt::format("must end with .png, the only format that nnvk writes, not '{}'", extension);
      });
  command->add_option("--model", options->model, "A .tflite network from pictures [1,h,w,3] to larger ones")->type_name("FILE");
  add_device_option(*command, options->device, device_help());
  add_json_option(*command, options->json);
  command->add_flag("--measure", options->measure,
                    "Halve the picture first, and print the PSNR of the network and of the bicubic filter over its RGB values");
  commands.on_run(*command, [options] {
    if (options->output.empty() && !options->measure) throw CLI::RequiredError("output");
    return run_upscale(*options);
  });
}

}  // namespace

void add_model_commands(Commands& commands) {
  add_devices_command(commands);
  add_run_command(commands);
  add_bench_command(commands);
  add_benchmark_command(commands);
  add_explain_command(commands);
  add_kernels_command(commands);
  add_upscale_command(commands);
}

}  // namespace nnvk::tools
