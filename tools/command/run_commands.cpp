// The commands that list devices and run a model: their options and help.
#include <memory>

#include "tools/command/command.h"
#include "tools/command/command_line.h"
#include "tools/command/commands.h"

namespace nnvk::tools {
namespace {

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
  add_score_option(command, options.least_score);
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
  add_cache_option(commands, *command, options->cache);
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

}  // namespace

void add_run_commands(Commands& commands) {
  add_devices_command(commands);
  add_run_command(commands);
}

}  // namespace nnvk::tools
