// nnvk_listKernels chooses, describes and compiles kernels for a device or a snapshot of one, without running anything.
#include <gmock/gmock.h>
#include <nnvk/kernels.h>

#include "tests/api/descriptions.h"

namespace nnvk::test {
namespace {

using nlohmann::json;

json list(const ModelBuilder& model, const json& request = json::object()) {
  return json_of([&](char** text) { return nnvk_listKernels(model.get(), request.dump().c_str(), text); });
}

// The result code and last error of a request that must fail.
std::pair<int, std::string> refused(const ANeuralNetworksModel* model, const char* request) {
  char* text = nullptr;
  const int code = nnvk_listKernels(model, request, &text);
  EXPECT_EQ(text, nullptr);
  return {code, nnvk_lastError()};
}

// The physical devices that the drivers list.
json physical_devices() { return describe_devices()["physical_devices"]; }

// A device of Vulkan 1.1 with the minimum features. It does not even have host-visible memory.
json smallest_snapshot() {
  return {{"name", "Least (1)"},
          {"queue_families", json::array({{{"flags", 2}, {"count", 1}, {"timestamp_valid_bits", 0}}})},
          {"memory_types", json::array({{{"flags", 1}, {"heap", 0}}})},
          {"memory_heaps", json::array({{{"bytes", 1 << 30}, {"device_local", true}}})}};
}

TEST(KernelListing, AModelsKernelsAreListedForASnapshotWithoutThatDevice) {
  const json answer = list(make_add({64, 64}), {{"snapshot", smallest_snapshot()}});
  EXPECT_EQ(answer["device"]["name"], "vulkan-least");
  EXPECT_THAT(answer["device"]["statistics_missing"].get<std::string>(), testing::HasSubstr("snapshot"));
  ASSERT_EQ(answer["dispatches"].size(), 1U);
  const json& dispatch = answer["dispatches"][0];
  EXPECT_EQ(dispatch["name"], "ADD");
  EXPECT_EQ(dispatch["operation"], 0);
  EXPECT_EQ(dispatch["once"], false);
  EXPECT_GT(dispatch["roofline_seconds"], 0);
  EXPECT_GT(dispatch["predicted_seconds"], dispatch["roofline_seconds"]);
  EXPECT_THAT(dispatch["reason"].get<std::string>(), testing::HasSubstr("work group"));
  const json& pipeline = answer["pipelines"][dispatch["pipeline"].get<size_t>()];
  EXPECT_EQ(pipeline["family"], "elementwise_binary");
  EXPECT_EQ(pipeline["variant"], "words") << "the snapshot's device has no texel formats";
  EXPECT_TRUE(pipeline["specialization"].is_object());
  EXPECT_FALSE(pipeline.contains("statistics"));
}

TEST(KernelListing, BothModelsOfABranchAreListed) {
  ModelBuilder taken = make_unary(ANEURALNETWORKS_RELU, kFloat, {2});
  ModelBuilder other = make_unary(ANEURALNETWORKS_TANH, kFloat, {2});
  ModelBuilder model;
  const uint32_t condition = model.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
  const uint32_t a = model.reference(taken);
  const uint32_t b = model.reference(other);
  const uint32_t x = model.operand(kFloat, {2});
  const uint32_t y = model.operand(kFloat, {2});
  ASSERT_EQ(model.operation(ANEURALNETWORKS_IF, {condition, a, b, x}, {y}), kOk);
  model.finish({condition, x}, {y});
  const json answer = list(model, {{"snapshot", smallest_snapshot()}});
  ASSERT_EQ(answer["dispatches"].size(), 2U);
  EXPECT_EQ(answer["dispatches"][0]["name"], "RELU");
  EXPECT_EQ(answer["dispatches"][1]["name"], "TANH");
}

TEST(KernelListing, WhatOnlyAnExecutionKnowsIsNamed) {
  const json answer = list(make_add({0, 4}), {{"snapshot", smallest_snapshot()}});
  EXPECT_TRUE(answer["dispatches"].empty());
  ASSERT_EQ(answer["unlisted"].size(), 1U);
  EXPECT_EQ(answer["unlisted"][0]["name"], "ADD");
  EXPECT_THAT(answer["unlisted"][0]["reason"].get<std::string>(), testing::HasSubstr("execution"));
}

TEST(KernelListing, WithoutAModelAllKernelsAreNamed) {
  const std::string request = json{{"snapshot", smallest_snapshot()}}.dump();
  const json answer = json_of([&](char** text) { return nnvk_listKernels(nullptr, request.c_str(), text); });
  EXPECT_FALSE(answer.contains("dispatches"));
  EXPECT_GT(answer["kernels"].size(), 50U);
  for (const json& kernel : answer["kernels"]) EXPECT_EQ(kernel["variants"].back(), "words");
}

TEST(KernelListing, RequestsThatMeanNothingAreRefusedByName) {
  const ModelBuilder model = make_add({2});
  for (const char* request : {"", "[]", "{\"moon\": 1}", "{\"device\": 1}", "{\"variant\": \"moon\"}", "{\"snapshot\": 3}",
                              "{\"snapshot\": {\"max_groups\": \"moon\"}}", "{\"snapshot\": {\"name\": 3}}"}) {
    const auto [code, text] = refused(model.get(), request);
    EXPECT_EQ(code, kBadData) << request;
    EXPECT_FALSE(text.empty()) << request;
  }
  EXPECT_EQ(refused(model.get(), "{\"device\": \"moon\"}").first, ANEURALNETWORKS_UNAVAILABLE_DEVICE);
  EXPECT_THAT(refused(model.get(), "{\"device\": \"moon\"}").second, testing::HasSubstr("moon"));
  EXPECT_EQ(nnvk_listKernels(model.get(), nullptr, nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
  const ModelBuilder open;
  EXPECT_EQ(refused(open.get(), "{}").first, kBadState);
}

TEST(KernelListing, ASnapshotChoosesWhatItsDeviceDoes) {
  const json physical = physical_devices();
  if (physical.empty()) GTEST_SKIP() << "no Vulkan driver";
  const ModelBuilder model = make_add({64, 64});
  for (const json& device : physical) {
    const json there = list(model, {{"device", device["name"]}, {"statistics", false}});
    const json elsewhere = list(model, {{"snapshot", device["snapshot"]}});
    EXPECT_EQ(there["device"]["name"], device["name"]);
    EXPECT_EQ(there["pipelines"], elsewhere["pipelines"]);
    EXPECT_EQ(there["dispatches"], elsewhere["dispatches"]);
  }
}

TEST(KernelListing, ADriverTellsOfEachPipelineOrTheAnswerSaysWhyNot) {
  const json physical = physical_devices();
  if (physical.empty()) GTEST_SKIP() << "no Vulkan driver";
  const ModelBuilder model = make_add({64, 64});
  for (const json& device : physical) {
    const json answer = list(model, {{"device", device["name"]}});
    const bool silent = !answer["device"]["statistics_missing"].get<std::string>().empty();
    ASSERT_EQ(answer["pipelines"].size(), 1U);
    EXPECT_EQ(answer["pipelines"][0].contains("statistics"), !silent) << answer;
    EXPECT_EQ(silent, !device["snapshot"]["pipeline_statistics"].get<bool>());
  }
}

TEST(KernelListing, TheFormOfKernelsCanBeAskedFor) {
  const json physical = physical_devices();
  if (physical.empty()) GTEST_SKIP() << "no Vulkan driver";
  const ModelBuilder model = make_add({64, 64});
  const json answer = list(model, {{"device", physical[0]["name"]}, {"variant", "words"}, {"statistics", false}});
  EXPECT_EQ(answer["pipelines"][0]["variant"], "words");
  EXPECT_THAT(answer["dispatches"][0]["reason"].get<std::string>(), testing::HasSubstr("words, not texel"));
}

// The list also names devices that the library does not use, with the reason. The API does not list those.
TEST(KernelListing, DevicesOfTheApiAreTheUsablePhysicalOnes) {
  const json described = describe_devices();
  size_t usable = 0;
  for (const json& device : described["physical_devices"]) {
    EXPECT_EQ(device["usable"].get<bool>(), device["reason"].get<std::string>().empty());
    const bool is_listed = std::ranges::any_of(described["devices"], [&](const json& d) { return d["name"] == device["name"]; });
    EXPECT_EQ(is_listed, device["usable"].get<bool>()) << device["name"];
    usable += device["usable"].get<bool>() ? 1 : 0;
  }
  EXPECT_LE(usable, described["devices"].size());
}

}  // namespace
}  // namespace nnvk::test
