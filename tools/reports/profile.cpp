// Averaging and printing of profiles.
#include "tools/reports/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

constexpr double kGiga = 1e9;

double number(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

}  // namespace

Result<Ceilings> measure_ceilings(const DeviceEntry& device) {
  TOOLS_ASSIGN(const nlohmann::json description, describe_device(device.name, true));
  return ceilings_in(description);
}

Result<Ceilings> ceilings_in(const nlohmann::json& entry) {
  if (entry.contains("ceilings_error")) return fail(entry.value("ceilings_error", ""));
  const auto ceilings = entry.find("ceilings");
  if (ceilings == entry.end() || !ceilings->is_object()) return fail("the device did not measure its ceilings");
  Ceilings measured{.float_operations = kGiga * number(*ceilings, "fp32_gflops"),
                    .integer_operations = kGiga * number(*ceilings, "int8_gops"),
                    .bytes = kGiga * number(*ceilings, "read_gigabytes_per_second")};
  for (const auto& rate : ceilings->value("traffic", nlohmann::json::array())) {
    measured.traffic.emplace_back(number(rate, "bytes"), kGiga * number(rate, "gigabytes_per_second"));
  }
  return measured;
}

double traffic_rate(const Ceilings& ceilings, double bytes) {
  if (ceilings.traffic.empty()) return ceilings.bytes;
  double rate = ceilings.traffic.front().second;
  for (const auto& [size, rate_of_size] : ceilings.traffic) {
    if (size <= bytes) rate = rate_of_size;
  }
  return rate;
}

Status Profile::add(const std::string& execution_json) {
  TOOLS_ASSIGN(const nlohmann::json document, parse_description(execution_json, "the execution"));
  const auto& nodes = document.value("nodes", nlohmann::json::array());
  if (executions_ == 0) sums_.resize(nodes.size());
  if (nodes.size() != sums_.size()) return fail("two executions of one compilation have different operations");
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto& sum = sums_[i];
    sum.operation = static_cast<size_t>(std::max(0.0, number(nodes[i], "operation")));
    sum.name = nodes[i].value("name", "");
    sum.kernel = nodes[i].value("kernel", "");
    sum.merged_operations = nodes[i].value("merged_operations", std::vector<size_t>());
    sum.seconds += number(nodes[i], "nanoseconds") / kGiga;
    sum.bytes = number(nodes[i], "bytes");
    sum.multiply_adds = number(nodes[i], "multiply_adds");
  }
  ++executions_;
  return {};
}

void Profile::mark_integers(const ModelBuilder& model) {
  for (auto& sum : sums_) {
    sum.integer = sum.operation < model.operations().size() && is_quant8(model.data_type(sum.operation));
  }
}

std::vector<ProfiledNode> Profile::nodes() const {
  auto means = sums_;
  for (auto& node : means) node.seconds /= static_cast<double>(std::max<size_t>(1, executions_));
  return means;
}

Result<std::vector<ProfiledNode>> profile_executions(Session& session, const ModelBuilder& model,
                                                     const std::function<void()>& computed) {
  TOOLS_TRY(session.set_profiling(true));
  const auto execute = [&session]() -> Result<std::string> {
    TOOLS_TRY(session.run());
    return session.describe_execution();
  };
  return profile_executions(execute, model, computed);
}

Result<std::vector<ProfiledNode>> profile_executions(const std::function<Result<std::string>()>& execute,
                                                     const ModelBuilder& model, const std::function<void()>& computed) {
  Profile profile;
  for (int i = 0; i <= kProfiledRuns; ++i) {
    TOOLS_ASSIGN(const auto description, execute());
    if (i == 0) continue;  // warms up
    TOOLS_TRY(profile.add(description));
    computed();
  }
  profile.mark_integers(model);
  return profile.nodes();
}

std::optional<double> share_of_ceiling(const ProfiledNode& node, const Ceilings& ceilings) {
  const double rate = node.integer ? ceilings.integer_operations : ceilings.float_operations;
  double needed = 0;
  if (rate > 0) needed = 2 * node.multiply_adds / rate;
  const double moving = traffic_rate(ceilings, node.bytes);
  if (moving > 0) needed = std::max(needed, node.bytes / moving);
  if (needed <= 0 || node.seconds <= 0) return std::nullopt;
  return needed / node.seconds;
}

std::optional<double> largest_share(const std::vector<ProfiledNode>& nodes, const std::optional<Ceilings>& ceilings) {
  std::optional<double> largest;
  for (const auto& node : nodes) {
    const auto share = ceilings ? share_of_ceiling(node, *ceilings) : std::nullopt;
    if (share && (!largest || *share > *largest)) largest = share;
  }
  return largest;
}

std::string implausible_shares(const std::vector<ProfiledNode>& nodes, const std::optional<Ceilings>& ceilings) {
  std::string worst;
  size_t count = 0;
  const auto largest = largest_share(nodes, ceilings);
  for (const auto& node : nodes) {
    const auto share = ceilings ? share_of_ceiling(node, *ceilings) : std::nullopt;
    if (!share || *share <= 1) continue;
    ++count;
    if (*share == *largest) worst = fmt::format("operation {} ({}) with {:.0f} %", node.operation, node.name, 100 * *share);
  }
  if (count == 0) return "";
  return fmt::format(
      "{} of {} operations reach more than 100 % of a ceiling, most of all {}: the ceilings were measured too low (is the "
      "machine "
      "busy?), or the kernels use instructions that the ceilings do not measure",
      count, nodes.size(), worst);
}

std::string to_text(const std::vector<ProfiledNode>& nodes, const std::optional<Ceilings>& ceilings) {
  double total = 0;
  for (const auto& node : nodes) total += node.seconds;
  auto text = fmt::format("{:>4} {:<22} {:>10} {:>6} {:>9} {:>8} {:>8}  {}\n", "op", "operation", "us", "%", "Gop/s", "GB/s",
                          ceilings ? "ceiling" : "", "kernel");
  for (const auto& node : nodes) {
    const double seconds = std::max(node.seconds, 1e-12);
    const auto share = ceilings ? share_of_ceiling(node, *ceilings) : std::nullopt;
    text +=
        fmt::format("{:>4} {:<22} {:>10.1f} {:>6.1f} {:>9.2f} {:>8.2f} {:>8}  {}\n", node.operation, node.name,
                    node.seconds * 1e6, total > 0 ? 100 * node.seconds / total : 0.0, 2 * node.multiply_adds / seconds / kGiga,
                    node.bytes / seconds / kGiga, share ? fmt::format("{:.0f} %", 100 * *share) : "", node.kernel);
  }
  text += fmt::format("{:>4} {:<22} {:>10.1f}\n", "", "sum", total * 1e6);
  return text;
}

nlohmann::json to_json(const std::vector<ProfiledNode>& nodes, const std::optional<Ceilings>& ceilings) {
  auto array = nlohmann::json::array();
  for (const auto& node : nodes) {
    nlohmann::json entry{{"operation", node.operation}, {"name", node.name},   {"kernel", node.kernel},
                         {"seconds", node.seconds},     {"bytes", node.bytes}, {"multiply_adds", node.multiply_adds}};
    if (const auto share = ceilings ? share_of_ceiling(node, *ceilings) : std::nullopt) entry["share_of_ceiling"] = *share;
    array.push_back(std::move(entry));
  }
  return array;
}

}  // namespace nnvk::tools
