// Another thread writes to input memory while a network computes: with cameras, shared memory is the normal case. The results may
// then be anything. But the network must not write outside the outputs, crash or, under AddressSanitizer, read elsewhere.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/muted_errors.h"

namespace nnvk::tools::conformance {
namespace {

// Writes arbitrary bytes into all inputs of a case during its lifetime.
class Disturber {
 public:
  explicit Disturber(VectorCase& c) : thread_([this, &c] { disturb(c); }) {
    while (!started_) std::this_thread::yield();
  }
  ~Disturber() {
    stop_ = true;
    thread_.join();
  }
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

 private:
  void disturb(VectorCase& c) {
    std::mt19937 random(1);
    while (!stop_) {
      for (const uint32_t index : c.main.inputs) {
        auto& data = c.main.operands[index].data;
        for (size_t i = 0; i < std::min<size_t>(data.size(), 64); ++i) {
          *static_cast<volatile uint8_t*>(&data[random() % data.size()]) = static_cast<uint8_t>(random() % 4 == 0 ? random() : 0);
        }
      }
      started_ = true;
    }
  }

  std::atomic<bool> stop_{false};
  std::atomic<bool> started_{false};
  std::thread thread_;
};

// A case of every operation and type.
std::vector<const Row*> chosen_rows() {
  constexpr int kOfEach = 1;
  std::map<std::string, int> taken;  // by "nnvk.family.operation.type"
  std::vector<const Row*> chosen;
  for (const Row& row : generated_rows().all()) {
    size_t end = 0;
    for (int part = 0; part < 4; ++part) end = row.dotted.find('.', end + 1);
    if (!row.must_be_refused && taken[row.dotted.substr(0, end)]++ < kOfEach) chosen.push_back(&row);
  }
  return chosen;
}

class ChangingInputs : public testing::TestWithParam<const char*> {};

TEST_P(ChangingInputs, AreNoDangerToAnyOperation) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the race is what is tested";
#endif
  const auto device = find_device(GetParam());
  if (!device) GTEST_SKIP() << device.error().message;
  const MutedErrors muted(true);
  size_t computed = 0;
  for (const Row* row : chosen_rows()) {
    VectorCase c = row->make(1);
    auto compiled = CompiledCase::make(c, *device);
    if (!compiled || !compiled->unsupported().empty()) continue;
    const Disturber disturber(c);
    for (int round = 0; round < 3; ++round) {
      const auto outputs = compiled->run_with_unknown_sizes(c);  // may fail: an index may be out of range
      if (!outputs) continue;
      for (const CaseOutput& output : *outputs) EXPECT_TRUE(output.guards_intact) << row->dotted;
      ++computed;
    }
  }
  EXPECT_GT(computed, 150U);
}

INSTANTIATE_TEST_SUITE_P(Devices, ChangingInputs, testing::Values("nnapi-reference", "nnvk-cpu", "vulkan"), [](const auto& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace nnvk::tools::conformance
