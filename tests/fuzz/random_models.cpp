// Random models on every device: the generator of `nnvk conformance --random-graphs`, driven by the input's bytes. Operands that
// are usually constants may be inputs, computed or omitted, and some are wrong. Devices must return the reference's result codes
// and values.
#include <string>

#include "tests/fuzz/byte_source.h"
#include "tests/fuzz/surroundings.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/muted_errors.h"
#include "tools/conformance/random/description.h"
#include "tools/conformance/random/expectations.h"
#include "tools/conformance/random/misuse.h"
#include "tools/conformance/random/random_graph.h"
#include "tools/conformance/runner.h"

namespace nnvk::fuzz {
namespace {

using namespace tools;
using namespace tools::conformance;

// The input's bytes, then random decisions seeded by their number, so that short inputs give large models as well.
class ByteDecisions : public Decisions {
 public:
  explicit ByteDecisions(std::span<const std::byte> input) : bytes_(input), rest_("behind the input", input.size()) {}

  uint32_t below(uint32_t limit) override {
    if (bytes_.at_end()) return rest_.below(limit);
    return (limit <= 0x100 ? bytes_.byte() : bytes_.value<uint16_t>()) % limit;
  }

 private:
  ByteSource bytes_;
  SeededDecisions rest_;
};

// Objects that the target loads once.
struct Surroundings {
  std::vector<DeviceEntry> devices = list_devices().value();
  DeviceEntry reference = reference_device().value();
  RowShapes shapes{reference};
};

Surroundings& surroundings() {
  static auto* const made = [] {
    settle_surroundings();
    ::unsetenv("NNVK_CPU_ONLY");
    return new Surroundings;
  }();
  return *made;
}

}  // namespace

void run(std::span<const std::byte> input) {
  Surroundings& around = surroundings();
  ByteDecisions decisions(input);
  const bool is_wrong = decisions.one_in(3);
  RandomGraph graph = random_graph(decisions, around.shapes, {.fewest_operations = 1, .most_operations = 8, .most_bytes = 2048});
  if (is_wrong) {
    spoil(graph.c, decisions);
    graph.shapes.resize(graph.c.main.operands.size());
    graph.errors.resize(graph.c.main.operands.size());
  }
  fill_expectations(graph, around.reference);
  for (const DeviceEntry& device : around.devices) {
    const Outcome outcome = run_case(graph.c, device, {});
    if (outcome.verdict != Verdict::kFailed) continue;
    const std::string text = device.name + ": " + outcome.message + "\n" + describe(graph.c);
    require(false, text.c_str());
  }
}

// The first bytes choose the first operations; the number of bytes seeds the rest.
std::vector<Input> seeds() {
  constexpr int kSeeds = 64;
  std::vector<Input> list;
  SeededDecisions bytes("seeds", 1);
  for (int i = 0; i < kSeeds; ++i) {
    Input& input = list.emplace_back(16 + static_cast<size_t>(i));
    for (std::byte& byte : input) byte = static_cast<std::byte>(bytes.below(256));
  }
  return list;
}

}  // namespace nnvk::fuzz
