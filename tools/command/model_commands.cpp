// Further commands for models and devices: their options and help.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "tools/command/command.h"
#include "tools/command/command_line.h"
#include "tools/command/commands.h"
#include "tools/video/filter.h"

namespace nnvk::tools {
namespace {

void add_bench_command(Commands& commands) {
  auto* command =
      commands.add("bench", "Measure a .tflite or .onnx model and each of its operations, as a share of the peak speed");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("model", options->model, "The .tflite or .onnx file")->type_name("FILE")->required();
  add_memory_option(*command, options->memory);
  add_device_option(*command, options->device, device_help() + "; `nnvk benchmark` compares devices");
  add_cache_option(commands, *command, options->cache);
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

// Adds the options that say which frames come and go.
void add_stream_options(CLI::App& command, FilterOptions& options) {
  command.add_option("--input", options.input, "A file or named pipe; default: the standard input")->type_name("FILE");
  command.add_option("--output", options.output, "A file or named pipe; default: the standard output")->type_name("FILE");
  auto* size = command.add_option("--size", options.size, "The size of raw frames: 640x360")
                   ->type_name("WxH")
                   ->check([](const std::string& text) {
                     const auto read = video::parse_size(text);
                     return read ? std::string() : read.error().message;
                   });
  auto* format = command
                     .add_option("--format", options.format,
                                 "Raw frames of this format, one behind the other, by FFmpeg's names: " + video::format_names() +
                                     "; default: yuv4mpeg, which says its own")
                     ->type_name("FORMAT")
                     ->check(one_of(video::format_words()));
  size->needs(format);
  format->needs(size);
  command
      .add_option("--colours", options.matrix,
                  "The colours of YUV: bt601, bt709 or bt2020; default: bt601 below 720 rows, else bt709")
      ->type_name("NAME")
      ->transform(place_of({"bt601", "bt709", "bt2020"}));
  command
      .add_option("--range", options.range,
                  "The range of YUV: limited or full; default: what the stream says, else limited; raw gray is full")
      ->type_name("NAME")
      ->transform(place_of({"limited", "full"}));
}

void add_filter_command(Commands& commands) {
  auto* command = commands.add(
      "filter", "Run a network on each frame of a video between two pipes: draw answers, change backgrounds, enlarge");
  auto options = std::make_shared<FilterOptions>();
  command->add_option("--model", options->model, "The .tflite or .onnx file")
      ->type_name("FILE")
      ->required()
      ->check(commands.existing_file("--model"));
  command
      ->add_option("--effect", options->effect,
                   "draw (boxes, points, masks, classes), background, or enlarge; default: what suits the model")
      ->type_name("EFFECT")
      ->transform(place_of({video::kEffectNames.begin(), video::kEffectNames.end()}));
  command
      ->add_option("--background", options->background,
                   "Put this behind people and things: blur, a colour such as #00b140, or a picture (PNG, JPEG, BMP)")
      ->type_name("WHAT")
      ->capture_default_str();
  command->add_option("--radius", options->radius, "The radius of the blur in pixels")
      ->check(number_from(1U, 200U))
      ->capture_default_str();
  command->add_option("--labels", options->labels, "Names of the classes, one per line; default: those in a .tflite file")
      ->type_name("FILE")
      ->check(commands.existing_file("--labels"));
  add_score_option(*command, options->least_score);
  add_stream_options(*command, *options);
  add_memory_option(*command, options->memory);
  add_device_option(*command, options->device, device_help());
  command
      ->add_option("--slots", options->slots,
                   "How many frames are in flight: the network computes a frame while the one before is drawn and written")
      ->check(number_from(1, 16))
      ->capture_default_str();
  add_json_option(*command, options->json, "Print figures as JSON at the end: on stderr, or on stdout with --output");
  command->footer(
      "ffmpeg -i in.mp4 -f yuv4mpegpipe - | nnvk filter --model selfie.tflite | ffmpeg -i - out.mp4\n"
      "docs/guide/video.md explains formats and effects.");
  commands.on_run(*command, [options] { return run_filter(*options); });
}

}  // namespace

void add_model_commands(Commands& commands) {
  add_bench_command(commands);
  add_benchmark_command(commands);
  add_explain_command(commands);
  add_kernels_command(commands);
  add_upscale_command(commands);
  add_filter_command(commands);
}

}  // namespace nnvk::tools
