// Compilations by shapes; runs, profiles and explanations.
#include "python/model.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>

#include "python/errors.h"
#include "python/tensors.h"
#include "tools/nnapi/descriptions.h"
#include "tools/reports/placement.h"
#include "tools/reports/profile.h"

namespace py = pybind11;

namespace nnvk::python {
namespace {

using Clock = std::chrono::steady_clock;

// Compilations that a model with open dimensions keeps; each holds the memory of a compiled model.
constexpr size_t kMostCompilations = 8;

// Writes JSON as text. Names in it come from files and need not be UTF-8.
std::string dump(const nlohmann::json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

Result<std::string> execute_profiled(const std::shared_ptr<const CompiledShapes>& compiled,
                                     const std::vector<InputMemory>& memory) {
  Run run(compiled);
  run.measure_operations();
  TOOLS_TRY(run.take_inputs(memory));
  TOOLS_TRY(run.compute());
  return run.describe();
}

Result<double> execute_timed(const std::shared_ptr<const CompiledShapes>& compiled, const std::vector<InputMemory>& memory) {
  Run run(compiled);
  TOOLS_TRY(run.take_inputs(memory));
  const auto start = Clock::now();
  TOOLS_TRY(run.compute());
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<std::vector<tools::ProfiledNode>> profiled(const std::shared_ptr<const CompiledShapes>& compiled,
                                                  const std::vector<InputMemory>& memory) {
  return tools::profile_executions([&] { return execute_profiled(compiled, memory); }, compiled->model().builder);
}

Result<tools::Explanation> explained(const std::shared_ptr<const CompiledShapes>& compiled,
                                     const std::vector<InputMemory>& memory) {
  const ImportedModel& model = compiled->model();
  TOOLS_ASSIGN(auto explanation,
               tools::explain(model.builder, {.operations = model.operation_origins, .inputs = {}, .outputs = {}}));
  TOOLS_ASSIGN(const auto json, compiled->describe());
  TOOLS_ASSIGN(const auto description, tools::parse_description(json, "the compilation"));
  tools::add_placement(explanation, tools::parse_placement(description));
  TOOLS_ASSIGN(explanation.measured_seconds, tools::fastest_execution([&] { return execute_timed(compiled, memory); }));
  TOOLS_ASSIGN(const auto nodes, profiled(compiled, memory));
  tools::add_measurement(explanation, nodes);
  return explanation;
}

}  // namespace

std::unique_ptr<Model> Model::load(const std::filesystem::path& path, const LoadOptions& options, uint64_t memory) {
  const py::gil_scoped_release unlocked;
  auto source = value_of(ModelSource::read(path, {.memory = memory, .relaxed = options.relaxed}));
  std::unique_ptr<Model> model(new Model(std::move(source), options));
  if (model->source_.first_shapes()) value_of(model->compiled(*model->source_.first_shapes()));
  return model;
}

std::vector<std::string> Model::devices() const {
  std::vector<std::string> names;
  for (const tools::DeviceEntry& device : options_.devices) names.push_back(device.name);
  return names;
}

std::shared_ptr<const CompiledShapes> Model::find(const Shapes& shapes) {
  const std::lock_guard lock(mutex_);
  for (auto entry = compiled_.begin(); entry != compiled_.end(); ++entry) {
    if (entry->first != shapes) continue;
    compiled_.splice(compiled_.begin(), compiled_, entry);
    return entry->second;
  }
  return nullptr;
}

Result<std::shared_ptr<const CompiledShapes>> Model::compiled(const Shapes& inputs) {
  const Shapes shapes = source_.import_shapes(inputs);
  if (auto found = find(shapes)) return found;
  const std::lock_guard one_at_a_time(compiling_);
  if (auto found = find(shapes)) return found;  // another thread has compiled it meanwhile
  TOOLS_ASSIGN(auto imported, source_.import(shapes));
  TOOLS_ASSIGN(auto made, CompiledShapes::compile(std::move(imported), options_));
  std::shared_ptr<const CompiledShapes> oldest;  // freed without the lock
  const std::lock_guard lock(mutex_);
  if (compiled_.size() == kMostCompilations) {
    oldest = std::move(compiled_.back().second);
    compiled_.pop_back();
  }
  compiled_.emplace_front(shapes, made);
  return made;
}

py::list Model::run(const std::vector<py::array>& given) {
  const InputArrays arrays = take_arrays(inputs(), given);
  const Shapes shapes = arrays.shapes();
  const auto memory = arrays.memory();
  std::optional<Run> run;
  {
    const py::gil_scoped_release unlocked;
    run.emplace(value_of(compiled(shapes)));
    value_of(run->take_inputs(memory));
    value_of(run->compute());
  }
  py::list results;
  const auto& ports = run->compiled().model().outputs;
  for (size_t i = 0; i < ports.size(); ++i) {
    py::array array = array_over(ports[i], run->outputs()[i]);
    widen_array(ports[i], run->outputs()[i], array);
    results.append(std::move(array));
  }
  return results;
}

std::unique_ptr<PendingRun> Model::start(const std::vector<py::array>& given, const py::object& dependencies) {
  InputArrays arrays = take_arrays(inputs(), given);
  const std::vector<SharedEvent> events = events_of(dependencies);
  const Shapes shapes = arrays.shapes();
  std::shared_ptr<const CompiledShapes> ready;
  {
    const py::gil_scoped_release unlocked;
    ready = value_of(compiled(shapes));
  }
  return PendingRun::start(std::move(ready), std::move(arrays), events);
}

InputArrays Model::arrays_or_made_up(const std::vector<py::array>& given) const {
  if (!given.empty()) return take_arrays(inputs(), given);
  if (source_.first_shapes()) return made_up_arrays(inputs(), *source_.first_shapes());
  throw InputError{"the model has open dimensions; give arrays of the shapes that you want to know about"};
}

template <class Work>
auto Model::on_compiled(const std::vector<py::array>& given, Work work) {
  const InputArrays arrays = arrays_or_made_up(given);
  const Shapes shapes = arrays.shapes();
  const auto memory = arrays.memory();
  const py::gil_scoped_release unlocked;
  return value_of(work(value_of(compiled(shapes)), memory));
}

std::pair<py::str, py::str> Model::profile(const std::vector<py::array>& given) {
  const auto nodes = on_compiled(given, [](const auto& ready, const auto& memory) { return profiled(ready, memory); });
  return {text_of(dump(tools::to_json(nodes, std::nullopt))), text_of(tools::to_text(nodes, std::nullopt))};
}

std::pair<py::str, py::str> Model::explain(const std::vector<py::array>& given) {
  auto explanation = on_compiled(given, [](const auto& ready, const auto& memory) { return explained(ready, memory); });
  explanation.device = tools::device_names(options_.devices);
  return {text_of(dump(tools::to_json(explanation))), text_of(tools::to_text(explanation))};
}

void define_model(py::module_& module) {
  py::class_<Model>(module, "Model", "A loaded model. Arrays stand in the order of its inputs.")
      .def(
          "inputs", [](const Model& model) { return tensors_of(model.inputs()); }, "The inputs, in the order of the file.")
      .def(
          "outputs", [](const Model& model) { return tensors_of(model.outputs()); }, "The outputs, in the order of the file.")
      .def("devices", &Model::devices, "The names of the chosen devices; empty if the library chooses.")
      .def("run", &Model::run, py::arg("arrays"), "Runs the model and returns the arrays of its outputs.")
      .def("start", &Model::start, py::arg("arrays"), py::arg("dependencies"), "Starts a run behind its dependencies.")
      .def("profile", &Model::profile, py::arg("arrays"), "The times of operations as JSON and as text.")
      .def("explain", &Model::explain, py::arg("arrays"), "The placement of operations as JSON and as text.");
}

}  // namespace nnvk::python
