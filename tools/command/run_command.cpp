// `nnvk run`: runs a model on pictures or other input, and prints its inputs, placement, answers and times.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "importers/edges.h"
#include "tools/answers/decoding.h"
#include "tools/answers/interpretation.h"
#include "tools/command/command.h"
#include "tools/command/drawn_files.h"
#include "tools/command/json_output.h"
#include "tools/command/process_use.h"
#include "tools/command/progress.h"
#include "tools/command/run_report.h"
#include "tools/command/stop_signals.h"
#include "tools/command/watched_folder.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

constexpr int kUsualRuns = 5;

// A loaded model with the user's wishes. Runs inputs and collects results.
class Runner {
 public:
  static Result<Runner> create(const RunOptions& options) {
    std::optional<DrawnFiles> drawn;
    const bool has_several = options.inputs.size() > 1 || !options.watch.empty();
    if (!options.picture.empty()) {
      TOOLS_ASSIGN(drawn, DrawnFiles::in(options.picture, has_several));
    }
    if (drawn && !options.watch.empty() && drawn->is_in(options.watch)) {
      return fail("--picture must name another folder than --watch, or each drawn picture would be an input again");
    }
    answers::DecodingOptions decoding{.least_score = options.least_score};
    if (!options.labels.empty()) {
      TOOLS_ASSIGN(decoding.labels, answers::read_labels(options.labels));
    }
    TOOLS_ASSIGN(auto loaded, load_model(options.model, options.device, options.cache, options.memory));
    return Runner(options, std::move(drawn), std::move(decoding), std::move(loaded));
  }

  const LoadedModel& loaded() const { return loaded_; }
  const answers::ModelFacts& facts() const { return facts_; }
  const RunReport& report() const { return report_; }
  // Describes what pixels become for the model.
  std::string pixels() const { return to_text(normalisations_); }

  void set_runs(int runs) { runs_ = runs; }

  Result<std::vector<InputFiles>> executions() const { return files_of_executions(options_.inputs, loaded_.model, facts_); }

  // Runs the model on these files and returns the answers: one result for each picture.
  Result<std::vector<RunResult>> run(const InputFiles& files) {
    TOOLS_ASSIGN(const auto seen, fill_inputs(files, facts_, normalisations_, loaded_));
    TOOLS_ASSIGN(const double seconds, compute());
    std::vector<RunResult> results;
    for (size_t i = 0; i < seen.size(); ++i) {
      TOOLS_ASSIGN(auto result, result_of(seen[i], i));
      result.seconds = seconds;
      results.push_back(std::move(result));
    }
    return results;
  }

  // Ends the run: measures each operation if the user asked for that.
  Status finish() {
    report_.kilobytes = own_kilobytes();
    TOOLS_ASSIGN(report_.placement, placement_of(loaded_.session));
    if (!options_.profile) return {};
    TOOLS_ASSIGN(report_.nodes, profile_executions(loaded_.session, loaded_.model.builder));
    return {};
  }

  void add_results(std::vector<RunResult> results) { std::ranges::move(results, std::back_inserter(report_.results)); }

  Status write_outputs() const {
    if (options_.output.empty()) return {};
    const auto& ports = loaded_.model.outputs;
    for (size_t i = 0; i < ports.size(); ++i) {
      const auto path = ports.size() == 1 ? options_.output : fmt::format("{}.{}", options_.output, i);
      TOOLS_TRY(write_file(path, importers::in_framework_type(loaded_.session.output(i), ports[i])));
    }
    return {};
  }

 private:
  Runner(const RunOptions& options, std::optional<DrawnFiles> drawn, answers::DecodingOptions decoding, LoadedModel loaded)
      : options_(options),
        drawn_(std::move(drawn)),
        decoding_(std::move(decoding)),
        loaded_(std::move(loaded)),
        facts_(answers::facts_of(loaded_.model)),
        normalisations_(answers::expected_normalisation(facts_)) {
    if (options.mean || options.deviation) {
      constexpr double kMiddle = 127.5;
      normalisations_ = {Normalisation{options.mean.value_or(kMiddle), options.deviation.value_or(kMiddle)}};
    }
    decoding_.normalisation =
        normalisations_.empty() ? pixel_normalisation(loaded_.model.outputs[0].info) : normalisations_.front();
  }

  // Computes as often as the user wishes. Returns the seconds of the first time.
  Result<double> compute() {
    const size_t before = report_.seconds.size();
    Progress progress("running", static_cast<size_t>(runs_));
    for (int i = 0; i < runs_; ++i) {
      TOOLS_ASSIGN(const double seconds, loaded_.session.run());
      report_.seconds.push_back(seconds);
      if (report_.seconds.size() == 1) {
        TOOLS_ASSIGN(report_.placement, placement_of(loaded_.session));
        report_.first_counters = report_.placement.counters;
      }
      progress.update(static_cast<size_t>(i) + 1, loaded_.device.name);
    }
    return report_.seconds[before];
  }

  // Makes the result of one picture, which stands at `place` in the batch.
  Result<RunResult> result_of(const SeenPicture& seen, size_t place) {
    std::vector<std::vector<float>> values;
    for (size_t i = 0; i < facts_.outputs.size(); ++i) {
      auto all = decode(loaded_.session.output(i), loaded_.model.outputs[i].info);
      const size_t size = facts_.outputs[i].info.elements();
      if (size < all.size()) {  // one picture of a batch
        const auto first = all.begin() + static_cast<ptrdiff_t>(place * size);
        all = std::vector<float>(first, first + static_cast<ptrdiff_t>(size));
      }
      values.push_back(std::move(all));
    }
    RunResult result{.file = seen.file, .size = {seen.picture.width, seen.picture.height}};
    TOOLS_ASSIGN(result.answers, answers::answers_of(facts_, values, decoding_));
    if (drawn_) {
      TOOLS_ASSIGN(result.drawn, drawn_->draw(seen.picture, seen.file, result.answers));
    }
    return result;
  }

  const RunOptions& options_;
  int runs_ = 1;  // for each input
  std::optional<DrawnFiles> drawn_;
  answers::DecodingOptions decoding_;
  LoadedModel loaded_;
  answers::ModelFacts facts_;
  std::vector<Normalisation> normalisations_;
  RunReport report_;
};

// Describes what each input of the model got in the first execution.
std::vector<std::string> inputs_in_words(const InputFiles& files, const RunResult& result, const Runner& runner) {
  std::vector<std::string> words;
  for (size_t i = 0; i < runner.loaded().model.inputs.size(); ++i) {
    std::string text = i < files.size() ? files[i] : "random values (no --input given)";
    if (result.size.width != 0) text += fmt::format(" ({}x{}, {})", result.size.width, result.size.height, runner.pixels());
    words.push_back(std::move(text));
  }
  return words;
}

// Runs the input of --input, or one random input.
Status run_inputs(const RunOptions& options, Runner& runner) {
  TOOLS_ASSIGN(const auto executions, runner.executions());
  const bool is_one = executions.size() == 1 && executions[0].size() <= runner.loaded().model.inputs.size();
  runner.set_runs(options.runs.value_or(executions.size() == 1 ? kUsualRuns : 1));
  for (size_t i = 0; i < executions.size(); ++i) {
    TOOLS_ASSIGN(auto results, runner.run(executions[i]));
    if (i == 0) TOOLS_TRY(runner.write_outputs());
    if (!options.json && i == 0) {
      const auto inputs = is_one
                              ? inputs_in_words(executions[0], results[0], runner)
                              : std::vector(runner.loaded().model.inputs.size(), fmt::format("{} files", options.inputs.size()));
      print_heading(options, runner.loaded(), runner.report().placement, inputs);
    }
    if (!options.json && !is_one) std::ranges::for_each(results, print_result);
    runner.add_results(std::move(results));
  }
  TOOLS_TRY(runner.finish());
  if (options.json) {
    print_report_as_json(options, runner.loaded(), runner.report(), runner.facts());
    return {};
  }
  if (!is_one) fmt::print("\n");
  print_times(runner.loaded(), runner.report().seconds);
  if (is_one) print_outputs(runner.loaded(), runner.report().results[0]);
  if (options.profile) print_profile(runner.report());
  return {};
}

// Prints a result of --watch at once, so that other programs can read it.
Status print_now(const RunResult& result, bool as_json, const Runner& runner) {
  if (as_json) {
    print_json_line(to_json(result, runner.facts()));
  } else {
    print_result(result);
  }
  return finish_standard_output();
}

// Runs each picture that comes into the folder, until a signal arrives. Files that cannot be read are reported and left out.
Status run_watched(const RunOptions& options, Runner& runner) {
  if (!runner.facts().picture) {
    return fail(fmt::format("--watch needs a model with one input for pictures; the input of {} is {}", options.model,
                            to_string(runner.loaded().model.inputs[0].info)));
  }
  runner.set_runs(options.runs.value_or(1));
  TOOLS_ASSIGN(auto folder, WatchedFolder::open(options.watch));
  const StopSignals signals;
  report_note(fmt::format("watching {} for pictures; Ctrl-C ends it", options.watch));
  constexpr int kMilliseconds = 500;  // a signal between two waits is seen after that
  size_t count = 0;
  while (StopSignals::received() == 0) {
    TOOLS_ASSIGN(const auto files, folder.wait(kMilliseconds));
    for (const auto& file : files) {
      if (StopSignals::received() != 0) break;
      const auto results = runner.run({file.string()});
      if (!results) {
        report_error(results.error());
        continue;
      }
      ++count;
      TOOLS_TRY(print_now(results->front(), options.json, runner));
    }
  }
  report_note(fmt::format("{} pictures from {}", count, options.watch));
  return {};
}

}  // namespace

int run_model(const RunOptions& options) {
  auto runner = Runner::create(options);
  if (!runner) return report_error(runner.error());
  const Status status = options.watch.empty() ? run_inputs(options, *runner) : run_watched(options, *runner);
  return status ? kSuccess : report_error(status.error());
}

}  // namespace nnvk::tools
