// Planning, processes, the reference's outputs.
#include "tools/command/benchmark_run.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "tools/command/benchmark_worker.h"
#include "tools/command/child_process.h"
#include "tools/command/progress.h"
#include "tools/command/stop_signals.h"
#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using benchmark::Measurement;
using benchmark::ModelEntry;
using benchmark::Planned;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr const char* kReference = "nnapi-reference";
constexpr double kTooShortForCeilings = 60;  // seconds: with a shorter time limit they would take too much of it
constexpr auto kLongest = std::chrono::hours(100);

// A folder for the outputs that processes write, removed at the end.
class OutputFolder {
 public:
  static Result<OutputFolder> make() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nnvk_benchmark_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      return fail(fmt::format("cannot make a folder {}: {}", pattern, std::strerror(errno)));
    }
    return OutputFolder(pattern);
  }
  ~OutputFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  OutputFolder(OutputFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  OutputFolder& operator=(OutputFolder&&) = delete;

  std::filesystem::path file(size_t model, std::string engine) const {
    std::ranges::replace(engine, '/', '_');  // as in "sample-npu/npu"
    return path_ / fmt::format("{}_{}", model, engine);
  }

 private:
  explicit OutputFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

std::string how_it_ended(const ChildEnd& end) { return "the process that measured it ended with " + conformance::to_text(end); }

// Lists the devices by a child process: DeviceEntry without handles, and their ceilings.
Result<std::vector<BenchmarkEngine>> list_engines(const std::string& spec, bool with_ceilings) {
  const auto body = [&](int channel) {
    const auto described = describe_devices(with_ceilings);
    write_to_channel(channel, described ? described->dump() : described.error().message);
    return described ? 0 : 1;
  };
  TOOLS_ASSIGN(const Answer answer, ask_child({}, body, std::chrono::minutes(10), [] { return StopSignals::received() != 0; }));
  if (answer.end.signal != 0 || answer.end.exit_code != 0) return fail("cannot list the devices: " + answer.text);
  TOOLS_ASSIGN(const json document, parse_description(answer.text, "its devices"));
  std::vector<DeviceEntry> devices;
  std::vector<BenchmarkEngine> all;
  for (const auto& device : document.value("devices", json::array())) {
    DeviceEntry entry;
    entry.name = device.value("name", "");
    entry.version = device.value("version", "");
    entry.type = device.value("type", "") == "CPU" ? ANEURALNETWORKS_DEVICE_CPU : ANEURALNETWORKS_DEVICE_OTHER;
    devices.push_back(entry);
    BenchmarkEngine engine{.choice = {.kind = EngineKind::kDevice, .name = entry.name, .framework_file = {}},
                           .description = fmt::format("{}, version {}", device.value("type", ""), entry.version)};
    if (const auto ceilings = ceilings_in(device)) engine.ceilings = *ceilings;
    all.push_back(std::move(engine));
  }
  std::vector<BenchmarkEngine> chosen;
  const auto named = [&](const std::string& name) {
    return *std::ranges::find(all, name, [](const BenchmarkEngine& engine) { return engine.choice.name; });
  };
  if (spec == "all") return all;
  if (spec.empty()) {
    std::ranges::copy_if(all, std::back_inserter(chosen), [](const auto& engine) { return engine.choice.name != kReference; });
    return chosen;
  }
  TOOLS_ASSIGN(const auto entries, choose_devices(devices, spec));
  for (const DeviceEntry& entry : entries) {
    const bool is_new = std::ranges::none_of(chosen, [&](const auto& engine) { return engine.choice.name == entry.name; });
    if (is_new) chosen.push_back(named(entry.name));
  }
  return chosen;
}

// Adds a framework, whose library a child process loads to ask for its version.
Status add_framework(EngineKind kind, const std::string& library, std::vector<BenchmarkEngine>& engines) {
  if (library.empty()) return {};
  const auto body = [&](int channel) {
    const auto version = framework_version(kind, library);
    write_to_channel(channel, version ? *version : version.error().message);
    return version ? 0 : 1;
  };
  TOOLS_ASSIGN(const Answer answer, ask_child({}, body, std::chrono::minutes(1), [] { return StopSignals::received() != 0; }));
  if (answer.end.signal != 0 || answer.end.exit_code != 0) {
    return fail(fmt::format("cannot use {}: {}", library, answer.text.empty() ? how_it_ended(answer.end) : answer.text));
  }
  const char* const name = kind == EngineKind::kOnnxRuntime ? "ONNX Runtime" : "TensorFlow Lite";
  engines.push_back({.choice = {kind, fmt::format("{} {}", name, answer.text), library},
                     .description = fmt::format("its own code on the CPU, {}", library)});
  return {};
}

Status check_files(const std::vector<ModelEntry>& models) {
  for (const ModelEntry& model : models) {
    std::vector<std::filesystem::path> files{model.file, model.labels, model.lines};
    for (const auto& sample : model.samples) {
      files.insert(files.end(), sample.inputs.begin(), sample.inputs.end());
      files.insert(files.end(), {sample.original, sample.mask, sample.values});
    }
    for (const auto& file : files) {
      std::error_code error;
      if (!file.empty() && !std::filesystem::exists(file, error)) {
        return fail(fmt::format("model '{}': there is no file {}; paths in a manifest are relative to its folder", model.name,
                                file.string()));
      }
    }
  }
  return {};
}

int framework_threads(int wanted) {
  return wanted > 0 ? wanted : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
}

class Run {
 public:
  Run(const BenchmarkOptions& options, const BenchmarkPlan& plan, OutputFolder outputs)
      : options_(options),
        plan_(plan),
        outputs_(std::move(outputs)),
        energy_(benchmark::EnergyCounters::find()),
        time_(options.time_limit > 0 ? std::optional<double>(options.time_limit) : std::nullopt),
        progress_("benchmark", plan.measurements.size() + plan.models.size(), Beat::kUpdates) {}

  BenchmarkResult run() {
    for (size_t i = 0; i < plan_.measurements.size(); ++i) {
      const Planned& planned = plan_.measurements[i];
      measured_.emplace_back(planned, measure_one(planned, plan_.measurements.size() - i));
      ++done_;
    }
    compare_with_reference();
    return result();
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - plan_.started).count(); }

  // Asks a child process for a measurement. `name`: what the progress shows.
  Measurement ask(const MeasureTask& task, const std::string& name) {
    Measurement m{.model = task.entry.name, .engine = task.engine.name};
    const auto left = time_.left(elapsed());
    const auto limit = left ? std::chrono::milliseconds(static_cast<int64_t>(*left * 1e3)) + std::chrono::milliseconds(1)
                            : std::chrono::milliseconds(kLongest);
    const auto body = [&](int channel) {
      write_to_channel(channel, benchmark::to_json(measure(task)).dump(-1, ' ', false, json::error_handler_t::replace));
      return 0;
    };
    const Environment environment =
        options_.threads > 0 ? Environment{{"NNVK_CPU_THREADS", std::to_string(options_.threads)}} : Environment();
    const auto answer = ask_child(environment, body, limit, [&] {
      progress_.update(done_, name);
      return StopSignals::received() != 0;
    });
    if (!answer) {
      m.left_out = StopSignals::received() != 0 || (left && elapsed() + 0.5 >= options_.time_limit);
      m.problem = m.left_out ? (left ? "stopped at the time limit" : "stopped") : answer.error().message;
      return m;
    }
    const auto object = nlohmann::ordered_json::parse(answer->text, nullptr, false);
    if (!object.is_object()) {
      m.problem = how_it_ended(answer->end);
      return m;
    }
    return benchmark::measurement_from(object);
  }

  MeasureTask task_for(const Planned& planned, const EngineChoice& engine) const {
    return {.entry = plan_.models[planned.model],
            .engine = engine,
            .memory = options_.memory,
            .threads = framework_threads(options_.threads),
            .energy = energy_,
            .outputs = outputs_.file(planned.model, engine.name)};
  }

  Measurement measure_one(const Planned& planned, size_t left) {
    const BenchmarkEngine& engine = plan_.engines[planned.engine];
    const ModelEntry& model = plan_.models[planned.model];
    Measurement m{.model = model.name, .engine = engine.choice.name, .left_out = true};
    if (StopSignals::received() != 0) {
      m.problem = "left out: stopped before";
      return m;
    }
    if (!time_.allows(planned.model, elapsed())) {
      m.problem = "left out: the time limit leaves no time for it";
      return m;
    }
    MeasureTask task = task_for(planned, engine.choice);
    task.runs = options_.runs;
    task.warm_up = options_.warm_up;
    task.seconds = time_.seconds_for_executions(elapsed(), left, options_.seconds);
    task.at_once = options_.at_once;
    task.ceilings = engine.ceilings;
    const double begin = elapsed();
    m = ask(task, fmt::format("{} on {}", model.name, engine.choice.name));
    if (m.problem.empty()) time_.took(planned.model, elapsed() - begin);
    return m;
  }

  // Fills in the differences from the reference's outputs, which it computes for models that were not measured on the reference.
  void compare_with_reference() {
    const EngineChoice reference{.kind = EngineKind::kDevice, .name = kReference, .framework_file = {}};
    for (size_t model = 0; model < plan_.models.size(); ++model, ++done_) {
      const bool has_results =
          std::ranges::any_of(measured_, [&](const auto& one) { return one.first.model == model && one.second.problem.empty(); });
      const auto file = outputs_.file(model, kReference);
      if (has_results && !std::filesystem::exists(file)) {
        if (StopSignals::received() != 0 || !time_.allows(model, elapsed())) {
          unreferenced_.push_back(plan_.models[model].name);
          continue;
        }
        MeasureTask task = task_for({model, 0}, reference);
        task.only_outputs = true;
        const Measurement m = ask(task, fmt::format("{}: the reference's results", plan_.models[model].name));
        if (!m.problem.empty()) unreferenced_.push_back(fmt::format("{} ({})", m.model, m.problem));
      }
      for (auto& [planned, m] : measured_) {
        if (planned.model == model && m.problem.empty()) compare(outputs_.file(model, m.engine), file, m);
      }
    }
  }

  static Result<std::vector<float>> read_floats(const std::filesystem::path& file) {
    TOOLS_ASSIGN(const auto bytes, read_file(file));
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }

  static void compare(const std::filesystem::path& own, const std::filesystem::path& reference, Measurement& m) {
    const auto values = read_floats(own);
    const auto expected = read_floats(reference);
    if (!values || !expected || values->size() != expected->size()) return;
    benchmark::Difference difference;
    difference.add(*values, *expected);
    m.accuracy.reference_mean = difference.mean;
    m.accuracy.reference_largest = difference.largest;
  }

  BenchmarkResult result() {
    BenchmarkResult result{.no_energy = energy_.why_not()};
    std::ranges::stable_sort(measured_, {}, [](const auto& one) { return one.first.model; });
    size_t left_out = 0;
    for (auto& [planned, m] : measured_) {
      left_out += m.left_out;
      result.measurements.push_back(std::move(m));
    }
    if (left_out > 0) result.notes.push_back(fmt::format("{} measurements were left out or stopped", left_out));
    if (!unreferenced_.empty()) {
      std::string names;
      for (const auto& name : unreferenced_) names += (names.empty() ? "" : ", ") + name;
      result.notes.push_back("not compared with nnapi-reference: " + names);
    }
    result.is_complete = left_out == 0 && StopSignals::received() == 0;
    return result;
  }

  const BenchmarkOptions& options_;
  const BenchmarkPlan& plan_;
  OutputFolder outputs_;
  benchmark::EnergyCounters energy_;
  benchmark::TimePlan time_;
  Progress progress_;
  size_t done_ = 0;
  std::vector<std::pair<Planned, Measurement>> measured_;
  std::vector<std::string> unreferenced_;
};

}  // namespace

Result<BenchmarkPlan> plan_benchmark(const BenchmarkOptions& options) {
  BenchmarkPlan plan;
  TOOLS_ASSIGN(plan.models, benchmark::read_entries(options.sources));
  TOOLS_TRY(check_files(plan.models));
  const bool with_ceilings = options.time_limit == 0 || options.time_limit >= kTooShortForCeilings;
  if (!with_ceilings) {
    plan.notes.push_back(fmt::format("ceilings were not measured: the time limit is below {} s", kTooShortForCeilings));
  }
  TOOLS_ASSIGN(plan.engines, list_engines(options.device, with_ceilings));
  TOOLS_TRY(add_framework(EngineKind::kOnnxRuntime, options.onnxruntime, plan.engines));
  TOOLS_TRY(add_framework(EngineKind::kTensorFlowLite, options.tensorflow_lite, plan.engines));
  plan.measurements = benchmark::most_telling_first(plan.models.size(), plan.engines.size(), [&](size_t model, size_t engine) {
    return reads(plan.engines[engine].choice.kind, plan.models[model].file);
  });
  return plan;
}

Result<BenchmarkResult> run_benchmark_plan(const BenchmarkOptions& options, const BenchmarkPlan& plan) {
  TOOLS_ASSIGN(auto outputs, OutputFolder::make());
  return Run(options, plan, std::move(outputs)).run();
}

}  // namespace nnvk::tools
