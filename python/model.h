// A loaded model: compiled once for each set of shapes that runs bring. `_nnvk.Model`.
#pragma once

#include <pybind11/numpy.h>

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "python/arrays.h"
#include "python/compiled_shapes.h"
#include "python/pending_run.h"
#include "tools/reports/explanation.h"

namespace nnvk::python {

// Has all functions that the class Model of Python calls. Python calls them with the GIL, which long work releases; any number of
// threads may call at the same time. Functions throw ModelError and InputError.
class Model {
 public:
  static std::unique_ptr<Model> load(const std::filesystem::path& path, const LoadOptions& options, uint64_t memory);

  const std::vector<Port>& inputs() const { return source_.inputs(); }
  const std::vector<Port>& outputs() const { return source_.outputs(); }
  // Returns the names of the chosen devices; empty if the library chooses.
  std::vector<std::string> devices() const;

  pybind11::list run(const std::vector<pybind11::array>& given);
  std::unique_ptr<PendingRun> start(const std::vector<pybind11::array>& given, const pybind11::object& dependencies);
  // Each function returns JSON and text, of a profile or of an explanation. Without arrays the model runs on made-up numbers in
  // its first shapes.
  std::pair<pybind11::str, pybind11::str> profile(const std::vector<pybind11::array>& given);
  std::pair<pybind11::str, pybind11::str> explain(const std::vector<pybind11::array>& given);

 private:
  Model(ModelSource source, LoadOptions options) : source_(std::move(source)), options_(std::move(options)) {}

  // Returns the compilation for inputs of these shapes. Callers do not hold the GIL.
  Result<std::shared_ptr<const CompiledShapes>> compiled(const Shapes& inputs);
  std::shared_ptr<const CompiledShapes> find(const Shapes& shapes);
  // Returns the given arrays, or made-up ones.
  InputArrays arrays_or_made_up(const std::vector<pybind11::array>& given) const;
  // Calls `work`, without the interpreter's lock, with the compilation for these arrays and with their memory.
  template <class Work>
  auto on_compiled(const std::vector<pybind11::array>& given, Work work);

  ModelSource source_;
  LoadOptions options_;
  std::mutex compiling_;                                                          // one compilation at a time
  std::mutex mutex_;                                                              // of what follows
  std::list<std::pair<Shapes, std::shared_ptr<const CompiledShapes>>> compiled_;  // the last used one first
};

void define_model(pybind11::module_& module);

}  // namespace nnvk::python
