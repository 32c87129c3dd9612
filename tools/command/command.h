// The commands of `nnvk`: the options of each, and the function that runs it and returns the exit code of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "importers/import_options.h"
#include "tools/conformance/case_list.h"
#include "tools/conformance/runner.h"
#include "tools/nnapi/result.h"

namespace CLI {
class App;
}

namespace nnvk::tools {

// Exit codes of the program.
enum ExitCode { kSuccess = 0, kFailure = 1, kUsage = 2, kNoDevice = 3, kIncomplete = 4 };

// Prints "nnvk: error: ..." and returns the exit code: kNoDevice for an unknown device (ANEURALNETWORKS_UNAVAILABLE_DEVICE),
// kUsage for conformance::kWrongOption, else kFailure.
int report_error(const Error& error);
// Does the same with another exit code.
int report_error(const Error& error, int code);
// Prints a note on stderr, which belongs to no command's output: "nnvk: ...".
void report_note(const std::string& note);

// The options of `nnvk devices`. The help in command_line.cpp explains all options.
struct DevicesOptions {
  bool measure = false;
  bool calibrate = false;
  std::string snapshot;  // a file to write
  std::string device;    // of the snapshot
  bool names = false;
  bool json = false;
};

int run_devices(const DevicesOptions& options);

struct RunOptions {
  std::string model;
  uint64_t memory = importers::kDefaultMemory;
  std::vector<std::string> inputs;
  std::string device;
  std::string cache;
  std::string labels;
  std::string output;
  std::string picture;  // a file to draw the answer into, or a folder for several pictures
  std::string watch;    // a folder: each new picture there is an input
  std::optional<float> least_score;
  std::optional<double> mean;
  std::optional<double> deviation;
  std::optional<int> runs;  // per input; none: run_model() chooses
  bool profile = false;
  bool json = false;
};

int run_model(const RunOptions& options);

struct BenchOptions {
  std::string model;
  uint64_t memory = importers::kDefaultMemory;
  std::string device;
  std::string cache;
  int runs = 30;
  int warm_up = 3;
  bool json = false;
};

int run_bench(const BenchOptions& options);

struct BenchmarkOptions {
  std::vector<std::string> sources;  // manifests, folders, models; empty: the models that belong to nnvk
  std::string device;                // "": all but nnapi-reference
  std::string onnxruntime;           // the library; "": not measured
  std::string tensorflow_lite;
  uint64_t memory = importers::kDefaultMemory;
  int threads = 0;  // 0: each engine's own choice
  int runs = 30;
  int warm_up = 3;
  double seconds = 10;  // that the timed executions of a measurement may take
  int at_once = 1;
  double time_limit = 0;  // seconds; 0: none
  std::string csv;
  std::string report;
  bool json = false;
  std::string command_line;  // as the user wrote it
};

int run_benchmark(const BenchmarkOptions& options);

struct ExplainOptions {
  std::string model;
  uint64_t memory = importers::kDefaultMemory;
  std::string device;
  std::string graph;
  bool json = false;
};

int run_explain(const ExplainOptions& options);

struct KernelsOptions {
  std::string model;  // empty with `registry`, `compare`
  uint64_t memory = importers::kDefaultMemory;
  bool registry = false;
  int threads = 0;                   // of `registry`; 0: one per processor
  std::string resume;                // of `registry`: the file of an unfinished run
  std::vector<std::string> compare;  // two files
  std::string device;
  std::string variant;
  bool json = false;
};

int run_kernels(const KernelsOptions& options);

struct SoakOptions {
  std::string model;  // empty with a mode
  uint64_t memory = importers::kDefaultMemory;
  std::string mode;  // "burst" or "fenced": runs `executions` additions instead of a model
  std::string device;
  uint64_t executions = 100'000;
  int threads = 16;
  int seconds = 60;
  bool json = false;
};

int run_soak(const SoakOptions& options);
int run_counted_soak(const SoakOptions& options);

struct ConformanceOptions {
  std::string vectors;
  bool generated = false;
  uint32_t random_graphs = 0;    // how many
  uint32_t random_nestings = 0;  // of control flow
  uint64_t seed = 1;
  bool against_reference = false;
  std::string device = "vulkan";
  std::string variant;
  std::string kernels;  // forms of kernels, as in NNVK_VULKAN_KERNELS
  conformance::Selection selection;
  conformance::RunOptions run;
  int case_timeout = 10;  // seconds
  double time_limit = 0;  // seconds for all variants; 0: none
  int jobs = 1;
  int retry = 0;
  std::string results;
  bool resume = false;
  std::string report;                // a folder for the page
  std::vector<std::string> compare;  // two results files, or folders of reports; runs no case
  std::string command_line;          // as the user wrote it
  std::string baseline;
  std::string junit;
  std::string csv;
  std::string waivers;
  int64_t max_not_supported = -1;
  bool list = false;
  bool describe = false;
  bool json = false;
};

int run_conformance(const ConformanceOptions& options);

struct GpuCheckOptions {
  std::string device = "vulkan";
  double minutes = 8;
  std::string vectors;              // a folder; empty: none
  std::vector<std::string> models;  // beside those that belong to nnvk: files, folders, manifests
  int jobs = 2;                     // processes that run conformance cases at the same time
  std::string report;               // a new folder; empty: one with the date as its name
  bool json = false;
  std::string command_line;  // as the user wrote it
};

int run_gpu_check(const GpuCheckOptions& options);

struct UpscaleOptions {
  std::string input;
  std::string output;  // empty with `measure`: nothing is written
  std::string model;   // empty: the one shipped with the program
  std::string device;
  bool measure = false;
  bool json = false;
};

int run_upscale(const UpscaleOptions& options);

struct FilterOptions {
  std::string model;
  uint64_t memory = importers::kDefaultMemory;
  std::string input;   // "": the standard input
  std::string output;  // "": the standard output
  std::string format;  // of raw frames; "": YUV4MPEG2
  std::string size;    // of raw frames
  std::string device;
  std::optional<int32_t> effect;  // a video::Effect; none: what suits the model
  std::string labels;
  std::optional<float> least_score;
  std::string background = "blur";  // or "#rrggbb", or a picture
  uint32_t radius = 12;             // of the blur, in pixels
  std::optional<int32_t> matrix;    // nnvk_PictureColourMatrix; none: by the size
  std::optional<int32_t> range;     // nnvk_PictureColourRange; none: that of the stream
  int slots = 2;
  bool json = false;
};

int run_filter(const FilterOptions& options);

struct TraceOptions {
  std::vector<std::string> files;
  bool per_execution = false;
  bool total_times = false;
  bool print_detail = false;
  bool json = false;
};

int run_trace(const TraceOptions& options);

struct OperationsOptions {
  std::string output;
  std::string check;
  bool json = false;
};

int run_operations(const OperationsOptions& options);

struct CompletionOptions {
  std::string shell;  // empty with `json`
  bool json = false;
};

// `app`: the program's command line.
int run_completion(const CompletionOptions& options, const CLI::App& app);

}  // namespace nnvk::tools
