// The generated cases as a set: names, and results that depend on the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/muted_errors.h"

namespace nnvk::tools::conformance {
namespace {

constexpr uint64_t kSeeds = 128;  // small results may be the same for two seeds, but not for all

// The reference's outputs for a seed; nothing if it computes nothing (the operation is missing).
Result<CaseOutputs> outputs_for(const Row& row, uint64_t seed, const DeviceEntry& reference) {
  const VectorCase c = row.make(seed);
  TOOLS_ASSIGN(auto compiled, CompiledCase::make(c, reference));
  if (!compiled.unsupported().empty()) return CaseOutputs{};
  return compiled.run_with_unknown_sizes(c);
}

bool has_bytes(const CaseOutputs& outputs) {
  return std::ranges::any_of(outputs, [](const CaseOutput& output) { return !output.bytes.empty(); });
}

// Whether a row draws any value; the others list them all.
bool draws_values(const Row& row) {
  return !std::ranges::equal(row.make(0).main.operands, row.make(1).main.operands, {}, &VectorOperand::data,
                             &VectorOperand::data);
}

bool same(const CaseOutputs& a, const CaseOutputs& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.shape == y.shape && x.bytes == y.bytes; });
}

TEST(GeneratedCases, HaveUniqueNamesOfSixParts) {
  std::set<std::string> names;
  for (const auto& row : generated_rows().all()) {
    EXPECT_TRUE(names.insert(row.dotted).second) << row.dotted << " is there twice";
    EXPECT_EQ(std::ranges::count(row.dotted, '.'), 5) << row.dotted;
    EXPECT_EQ(row.dotted.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-"), std::string::npos) << row.dotted;
  }
  EXPECT_GT(names.size(), 1000u);
}

TEST(GeneratedCases, AreTheSameForTheSameSeed) {
  const auto& row = generated_rows().all().front();
  EXPECT_EQ(row.make(3).main.operands[0].data, row.make(3).main.operands[0].data);
  EXPECT_NE(row.make(3).main.operands[0].data, row.make(4).main.operands[0].data);
}

TEST(GeneratedCases, DenormalInputsGiveASecondExpectation) {
  const auto reference = reference_device();
  ASSERT_TRUE(reference);
  const auto filled = [&](std::string_view dotted) {
    const auto row = std::ranges::find(generated_rows().all(), dotted, &Row::dotted);
    VectorCase c = row->make(1);
    std::string unsupported;
    EXPECT_TRUE(fill_expectations(c, *reference, false, unsupported));
    return c.main.operands[c.main.outputs[0]];
  };
  const VectorOperand odd = filled("nnvk.unary.rsqrt.float32.edge.odd_values");
  EXPECT_EQ(odd.flushed_data.size(), odd.data.size());
  EXPECT_NE(odd.flushed_data, odd.data);
  EXPECT_TRUE(filled("nnvk.matmul.fully_connected.float32.sizes.1_to_4").flushed_data.empty());
}

TEST(GeneratedCases, EveryCaseIsAcceptedAndItsResultDependsOnTheSeedUnlessItSaysWhyNot) {
  const auto reference = reference_device();
  ASSERT_TRUE(reference);
  const MutedErrors muted(true);
  for (const auto& row : generated_rows().all()) {
    const auto first = outputs_for(row, 0, *reference);
    if (row.must_be_refused) {
      EXPECT_TRUE(!first || !has_bytes(*first)) << row.dotted << " must be refused";
      continue;
    }
    EXPECT_TRUE(first) << row.dotted << ": " << first.error().message;
    if (!first) continue;
    if (!has_bytes(*first) || !draws_values(row)) continue;  // nothing depends on a seed
    bool changed = false;
    for (uint64_t seed = 1; seed < kSeeds && !changed; ++seed) {
      const auto other = outputs_for(row, seed, *reference);
      EXPECT_TRUE(other) << row.dotted << " with seed " << seed << ": " << other.error().message;
      if (!other) break;
      changed = !same(*first, *other);
    }
    EXPECT_EQ(changed, row.fixed_because.empty())
        << row.dotted << (changed ? " claims to be the same for all seeds: " + row.fixed_because : " is the same for all seeds");
  }
}

}  // namespace
}  // namespace nnvk::tools::conformance
