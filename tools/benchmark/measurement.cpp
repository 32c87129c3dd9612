// Measurements as JSON and back: reports, and the answers of the processes that measure.
#include "tools/benchmark/measurement.h"

#include <cmath>

namespace nnvk::tools::benchmark {
namespace {

using nlohmann::ordered_json;

// Writes a number. JSON has no infinite numbers: they become texts.
void put(ordered_json& object, const char* key, const std::optional<double>& value) {
  if (!value) return;
  if (std::isfinite(*value)) {
    object[key] = *value;
  } else {
    object[key] = "infinite";
  }
}

std::optional<double> number(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  return found->is_number() ? found->get<double>() : HUGE_VAL;
}

ordered_json member(const ordered_json& object, const char* key) { return object.value(key, ordered_json::object()); }

}  // namespace

ordered_json to_json(const Measurement& m) {
  ordered_json object{{"model", m.model}, {"engine", m.engine}};
  if (!m.problem.empty()) {
    object["problem"] = m.problem;
    object["left_out"] = m.left_out;
    return object;
  }
  object["compile_seconds"] = m.compile_seconds;
  object["first_seconds"] = m.first_seconds;
  object["latency_seconds"] = {{"median", m.latency.median},
                               {"p90", m.latency.p90},
                               {"p99", m.latency.p99},
                               {"fastest", m.latency.fastest},
                               {"executions", m.latency.executions}};
  object["peak_bytes"] = m.peak_bytes;
  put(object, "joules", m.joules);
  if (m.at_once) {
    object["at_once"] = {
        {"executions", m.at_once->executions}, {"per_second", m.at_once->per_second}, {"median_seconds", m.at_once->median}};
  }
  ordered_json accuracy{{"samples", m.accuracy.samples}};
  put(accuracy, "top_1", m.accuracy.top_1);
  put(accuracy, "top_5", m.accuracy.top_5);
  put(accuracy, "psnr_db", m.accuracy.psnr);
  put(accuracy, "mean_iou", m.accuracy.mean_iou);
  put(accuracy, "mean_error", m.accuracy.mean_error);
  put(accuracy, "mean_difference_from_reference", m.accuracy.reference_mean);
  put(accuracy, "largest_difference_from_reference", m.accuracy.reference_largest);
  object["accuracy"] = std::move(accuracy);
  put(object, "largest_share_of_ceiling", m.largest_share);
  if (!m.warning.empty()) object["warning"] = m.warning;
  return object;
}

Measurement measurement_from(const ordered_json& object) {
  Measurement m{.model = object.value("model", ""),
                .engine = object.value("engine", ""),
                .problem = object.value("problem", ""),
                .left_out = object.value("left_out", false),
                .compile_seconds = object.value("compile_seconds", 0.0),
                .first_seconds = object.value("first_seconds", 0.0)};
  const ordered_json latency = member(object, "latency_seconds");
  m.latency = {.median = latency.value("median", 0.0),
               .p90 = latency.value("p90", 0.0),
               .p99 = latency.value("p99", 0.0),
               .fastest = latency.value("fastest", 0.0),
               .executions = latency.value("executions", size_t{0})};
  m.peak_bytes = object.value("peak_bytes", uint64_t{0});
  m.joules = number(object, "joules");
  if (object.contains("at_once")) {
    const ordered_json at_once = object["at_once"];
    m.at_once = AtOnce{.executions = at_once.value("executions", size_t{0}),
                       .per_second = at_once.value("per_second", 0.0),
                       .median = at_once.value("median_seconds", 0.0)};
  }
  const ordered_json accuracy = member(object, "accuracy");
  m.accuracy = {.top_1 = number(accuracy, "top_1"),
                .top_5 = number(accuracy, "top_5"),
                .psnr = number(accuracy, "psnr_db"),
                .mean_iou = number(accuracy, "mean_iou"),
                .mean_error = number(accuracy, "mean_error"),
                .reference_mean = number(accuracy, "mean_difference_from_reference"),
                .reference_largest = number(accuracy, "largest_difference_from_reference"),
                .samples = accuracy.value("samples", size_t{0})};
  m.largest_share = number(object, "largest_share_of_ceiling");
  m.warning = object.value("warning", "");
  return m;
}

}  // namespace nnvk::tools::benchmark
