// Per-operation times of executions: averages them, and compares them with the device's measured peak rates (ceilings).
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/nnapi/devices.h"
#include "tools/nnapi/session.h"

namespace nnvk::tools {

// Peak rates that nnvk_describeDevices() measures, per second and in units (not giga-units); 0: unknown.
struct Ceilings {
  double float_operations = 0;
  double integer_operations = 0;
  double bytes = 0;  // read from memory
  // The rates at which the device moves data of some sizes over and over, the smallest first; small data stay in a cache.
  std::vector<std::pair<double, double>> traffic = {};
};

// Returns the bytes per second that an operation may reach which moves `bytes`: the rate of the largest measured size that is no
// larger, since its data may still lie in the caches that hold so many.
double traffic_rate(const Ceilings& ceilings, double bytes);

// Measures one device; takes a second or two.
Result<Ceilings> measure_ceilings(const DeviceEntry& device);
// Reads the ceilings in the measured description of a device.
Result<Ceilings> ceilings_in(const nlohmann::json& description);

struct ProfiledNode {
  size_t operation = 0;
  std::string name;
  std::string kernel;
  double seconds = 0;  // mean over the executions added
  double bytes = 0;
  double multiply_adds = 0;
  bool integer = false;                        // 8-bit arithmetic
  std::vector<size_t> merged_operations = {};  // other operations that the device computed in the same step
};

class Profile {
 public:
  // Adds the nodes of one execution, described as JSON. All executions must have the same nodes.
  Status add(const std::string& execution_json);
  // Sets `integer` of the nodes added so far, from the data types of the model's operations.
  void mark_integers(const ModelBuilder& model);

  // Returns the means over the executions, in the order of the nodes.
  std::vector<ProfiledNode> nodes() const;

 private:
  std::vector<ProfiledNode> sums_;
  size_t executions_ = 0;
};

// Computes once to warm up, then kProfiledRuns times; calls `computed` after each. `execute` computes once with per-operation
// times and returns the JSON of nnvk_describeExecution().
inline constexpr int kProfiledRuns = 5;
Result<std::vector<ProfiledNode>> profile_executions(
    const std::function<Result<std::string>()>& execute, const ModelBuilder& model,
    const std::function<void()>& computed = [] {});
// Does the same with a session, whose profiling stays on.
Result<std::vector<ProfiledNode>> profile_executions(
    Session& session, const ModelBuilder& model, const std::function<void()>& computed = [] {});

// Returns the ratio of the time that the ceilings allow to the actual time; nothing if no ceiling or no work is known.
std::optional<double> share_of_ceiling(const ProfiledNode& node, const Ceilings& ceilings);

// Returns the largest share of a profile; nothing without any.
std::optional<double> largest_share(const std::vector<ProfiledNode>& nodes, const std::optional<Ceilings>& ceilings);
// Returns a warning if a share is above 1: the ceilings or the times are then wrong. Returns "" if all shares can be right.
std::string implausible_shares(const std::vector<ProfiledNode>& nodes, const std::optional<Ceilings>& ceilings);

// Writes a table with a line per node: time, part of the total, rate, share of the ceiling.
std::string to_text(const std::vector<ProfiledNode>& nodes, const std::optional<Ceilings>& ceilings);
nlohmann::json to_json(const std::vector<ProfiledNode>& nodes, const std::optional<Ceilings>& ceilings);

}  // namespace nnvk::tools
