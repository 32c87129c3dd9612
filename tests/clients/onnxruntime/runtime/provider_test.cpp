// nnvk inside stock ONNX Runtime: loading, running, open shapes, errors, threads, sessions that come and go.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/clients/onnxruntime/runtime/onnx_file.h"
#include "tests/support/meant_leaks.h"
#include "tests/support/process_usage.h"
#include "tests/support/rounds.h"
#include "tests/support/sanitizer_limits.h"
#include "tests/support/temporary_folder.h"
#include "tools/stock_frameworks/onnx_runtime.h"

namespace nnvk::test {
namespace {

using stock::NamedTensors;
using stock::ProviderOptions;
using stock::RuntimeError;
using stock::Session;
using stock::StockRuntime;
using stock::Tensor;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const ProviderOptions kTakeAll{{"min_nodes", "1"}, {"explain", "1"}};

class Provider : public testing::Test {
 protected:
  void SetUp() override { runtime_.register_provider(NNVK_ONNXRUNTIME_PROVIDER); }

  std::string error_of_session(const std::string& model, const ProviderOptions& options) {
    try {
      runtime_.session(model, &options);
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "none";
  }

  // Version 1.30 of the runtime itself leaks 14 bytes when it first looks for devices. No code of nnvk runs here.
  static StockRuntime loaded() {
    const MeantLeaks of_the_runtime;
    return StockRuntime(NNVK_ONNXRUNTIME_LIBRARY);
  }

  StockRuntime runtime_ = loaded();
};

std::string scaled_sum() {
  return OnnxFile()
      .input("x", OnnxType::kFloat, {"2", "2"})
      .constant("w", {2, 2}, std::vector<float>{1, 2, 3, 4})
      .output("y", OnnxType::kFloat, {"2", "2"})
      .node("Mul", {"x", "w"}, {"a"})
      .node("Add", {"a", "x"}, {"y"})
      .bytes();
}

std::vector<float> run_floats(const Session& session, const Tensor& x) { return session.run({{"x", x}}).at(0).values<float>(); }

TEST_F(Provider, OffersTheDevicesOfThisMachine) { EXPECT_THAT(runtime_.device_names(), Contains("nnvk-cpu")); }

TEST_F(Provider, ComputesAModelWhole) {
  const auto session = runtime_.session(scaled_sum(), &kTakeAll);
  EXPECT_THAT(runtime_.take_log(), HasSubstr("nnvk takes 2 of 2 nodes"));
  EXPECT_THAT(run_floats(*session, Tensor::floats({2, 2}, {1, 1, 1, 1})), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(run_floats(*session, Tensor::floats({2, 2}, {2, 0, 0, 1})), ElementsAre(4, 0, 0, 5));
}

// The runtime maps weights in a file of their own once for the provider, and again when it finishes the session.
TEST_F(Provider, FollowsWeightsThatTheRuntimeMoves) {
  constexpr int64_t kSize = 96;
  constexpr int kLayers = 8;
  const TemporaryFolder folder;
  std::vector<float> weights(kLayers * kSize * kSize);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i * i % 7) / 64;
  std::ofstream(folder.file("weights"), std::ios::binary)
      .write(reinterpret_cast<const char*>(weights.data()), static_cast<std::streamsize>(weights.size() * sizeof(float)));
  const std::string size = std::to_string(kSize);
  OnnxFile model;
  model.input("v0", OnnxType::kFloat, {"1", size}).output("v" + std::to_string(kLayers), OnnxType::kFloat, {"1", size});
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string number = std::to_string(layer);
    model.constant_in_file("w" + number, {kSize, kSize}, "weights", layer * kSize * kSize * sizeof(float))
        .node("Gemm", {"v" + number, "w" + number}, {"a" + number}, {{"transB", int64_t{1}}})
        .constant_in_file("b" + number, {1, kSize}, "weights", layer * kSize * sizeof(float))  // runs read it in place
        .node("Sub", {"a" + number, "b" + number}, {"v" + std::to_string(layer + 1)});
  }
  std::ofstream(folder.file("model.onnx"), std::ios::binary) << model.bytes();
  const NamedTensors x{{"v0", Tensor::floats({1, kSize}, std::vector<float>(kSize, 0.5F))}};
  const auto stock = runtime_.session_of_file(folder.file("model.onnx"), nullptr);
  const auto session = runtime_.session_of_file(folder.file("model.onnx"), &kTakeAll);
  EXPECT_THAT(runtime_.take_log(), HasSubstr("nnvk takes 16 of 16 nodes"));
  const auto expected = stock->run(x).at(0).values<float>();
  for (int run = 0; run < 2; ++run) {
    EXPECT_THAT(session->run(x).at(0).values<float>(), testing::Pointwise(testing::FloatNear(expected[0] * 1e-5F), expected));
  }
}

TEST_F(Provider, LeavesSmallModelsToTheRuntimeUnlessTold) {
  // Other programs on the machine can spoil a measurement, but not many in a row.
  std::string log;
  for (int attempt = 0; attempt < 5 && log.find("nnvk takes 0 of 2 nodes") == std::string::npos; ++attempt) {
    const TemporaryFolder without_kept_times;
    const ProviderOptions explain{{"explain", "1"}, {"cache_dir", without_kept_times.path()}};
    const auto session = runtime_.session(scaled_sum(), &explain);
    EXPECT_THAT(run_floats(*session, Tensor::floats({2, 2}, {1, 1, 1, 1})), ElementsAre(2, 3, 4, 5));
    log = runtime_.take_log();
  }
  EXPECT_THAT(log, HasSubstr("nnvk takes 0 of 2 nodes"));
}

// A graph that the runtime can compute a second time, from the plain data that the provider has read: attributes of each kind,
// constants of each length, an omitted input, an inner value that is an output too.
std::string filter_and_pool() {
  const std::vector<float> weights(64 * 3 * 3, 0.5F);
  return OnnxFile()
      .input("x", OnnxType::kFloat, {"1", "1", "12", "12"})
      .constant("w", {64, 1, 3, 3}, weights)
      .constant("limit", {}, std::vector<float>{6})
      .node("Conv", {"x", "w"}, {"a"}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}, {"group", int64_t{1}}})
      .node("LeakyRelu", {"a"}, {"b"}, {{"alpha", 0.25F}})
      .node("Clip", {"b", "", "limit"}, {"c"})
      .node("MaxPool", {"c"}, {"y"}, {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"auto_pad", std::string("VALID")}})
      .output("y", OnnxType::kFloat, {"1", "64", "11", "11"})
      .output("b", OnnxType::kFloat, {"1", "64", "12", "12"})
      .bytes();
}

TEST_F(Provider, MeasuresBothAndKeepsTheTimes) {
  const std::string model = filter_and_pool();
  const TemporaryFolder folder;
  const ProviderOptions explain{{"explain", "1"}, {"cache_dir", folder.path()}};
  const auto session = runtime_.session(model, &explain);
  EXPECT_THAT(runtime_.take_log(), AllOf(HasSubstr("of 4 nodes"), HasSubstr("measured ")));
  const auto stock = runtime_.session(model, nullptr);
  const Tensor x = Tensor::floats({1, 1, 12, 12}, std::vector<float>(144, -0.25F));
  const auto results = session->run({{"x", x}});
  const auto expected = stock->run({{"x", x}});
  ASSERT_EQ(results.size(), 2u);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_THAT(results[i].values<float>(), testing::Pointwise(testing::FloatNear(1e-5F), expected[i].values<float>()));
  }

  std::vector<std::string> kept = folder.names();
  std::erase_if(kept, [](const std::string& name) { return !name.ends_with(".trial"); });
  ASSERT_EQ(kept.size(), 1u);
  std::ofstream(folder.file(kept[0])) << "nnvk-trial-1 3000 4000000";  // other times than anybody can measure
  const auto later = runtime_.session(model, &explain);
  EXPECT_THAT(runtime_.take_log(), AllOf(HasSubstr("takes 4 of 4 nodes"), HasSubstr("measured 15 us on nnvk and 4000 us on")));
}

TEST_F(Provider, PredictsIfTold) {
  const std::string model = OnnxFile()
                                .input("x", OnnxType::kFloat, {"2", "2"})
                                .output("y", OnnxType::kFloat, {"2", "2"})
                                .node("Relu", {"x"}, {"y"})
                                .bytes();
  const ProviderOptions predicts{{"explain", "1"}, {"choice", "predicted"}};
  const auto session = runtime_.session(model, &predicts);
  EXPECT_THAT(runtime_.take_log(), AllOf(HasSubstr("predicted "), testing::Not(HasSubstr("not measured"))));
}

TEST_F(Provider, SharesAModelWithTheRuntime) {
  const std::string model = OnnxFile()
                                .input("x", OnnxType::kFloat, {"2", "2"})
                                .output("y", OnnxType::kFloat, {"2", "2"})
                                .node("Abs", {"x"}, {"a"})
                                .node("Acosh", {"a"}, {"b"})  // NNAPI has no such operation
                                .node("Add", {"b", "a"}, {"y"})
                                .bytes();
  const auto session = runtime_.session(model, &kTakeAll);
  EXPECT_THAT(runtime_.take_log(), HasSubstr("nnvk takes 2 of 3 nodes"));
  EXPECT_THAT(run_floats(*session, Tensor::floats({2, 2}, {1, -1, 1, 1})), ElementsAre(1, 1, 1, 1));
}

TEST_F(Provider, ComputesInt64WithinThirtyTwoBits) {
  const std::string model = OnnxFile()
                                .input("x", OnnxType::kInt64, {"3"})
                                .output("y", OnnxType::kInt64, {"3"})
                                .constant("one", {1}, std::vector<int64_t>{1})
                                .node("Add", {"x", "one"}, {"y"})
                                .bytes();
  const auto session = runtime_.session(model, &kTakeAll);
  ASSERT_THAT(runtime_.take_log(), HasSubstr("nnvk takes 1 of 1 nodes"));
  const auto of = [](const std::vector<int64_t>& values) { return Tensor::of(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {3}, values); };
  EXPECT_THAT(session->run({{"x", of({-5, 0, 2000000000})}}).at(0).values<int64_t>(), ElementsAre(-4, 1, 2000000001));
  try {
    session->run({{"x", of({0, int64_t{1} << 40, 0})}});
    ADD_FAILURE() << "a value of 41 bits was accepted";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("1099511627776"));
    EXPECT_THAT(error.what(), HasSubstr("'x'"));
  }
}

TEST_F(Provider, ComputesScalars) {
  const std::string model =
      OnnxFile().input("x", OnnxType::kFloat, {}).output("y", OnnxType::kFloat, {}).node("Neg", {"x"}, {"y"}).bytes();
  const auto session = runtime_.session(model, &kTakeAll);
  EXPECT_THAT(runtime_.take_log(), HasSubstr("nnvk takes 1 of 1 nodes"));
  const auto outputs = session->run({{"x", Tensor::floats({}, {3})}});
  EXPECT_TRUE(outputs.at(0).shape.empty());
  EXPECT_THAT(outputs.at(0).values<float>(), ElementsAre(-3));
}

// Relu(x * w) for x of [batch, 3].
std::string open_product() {
  return OnnxFile()
      .input("x", OnnxType::kFloat, {"batch", "3"})
      .output("y", OnnxType::kFloat, {"batch", "2"})
      .constant("w", {3, 2}, std::vector<float>{1, 0, 0, 1, 1, 1})
      .node("MatMul", {"x", "w"}, {"a"})
      .node("Relu", {"a"}, {"y"})
      .bytes();
}

TEST_F(Provider, ComputesOpenShapes) {
  const auto session = runtime_.session(open_product(), &kTakeAll);
  ASSERT_THAT(runtime_.take_log(), HasSubstr("nnvk takes 2 of 2 nodes"));
  for (const int64_t batch : {1, 2, 5, 1, 9, 3, 4, 6, 7, 8, 10, 2}) {  // more than stay compiled
    std::vector<float> x;
    std::vector<float> expected;
    for (int64_t i = 0; i < batch; ++i) {
      const auto v = static_cast<float>(i);
      x.insert(x.end(), {v, 2, -4});
      expected.insert(expected.end(), {std::max(0.0F, v - 4), 0});
    }
    const auto outputs = session->run({{"x", Tensor::floats({batch, 3}, x)}});
    EXPECT_EQ(outputs.at(0).shape, (std::vector<int64_t>{batch, 2}));
    EXPECT_EQ(outputs.at(0).values<float>(), expected);
  }
}

TEST_F(Provider, NamesUnknownOptionsAndDevices) {
  EXPECT_THAT(error_of_session(scaled_sum(), {{"devise", "cpu"}}), HasSubstr("option 'devise' is unknown"));
  EXPECT_THAT(error_of_session(scaled_sum(), {{"precision", "fast"}}), HasSubstr("'fast'"));
  EXPECT_THAT(error_of_session(scaled_sum(), {{"device", "vulkan:77"}}), HasSubstr("option 'device'"));
}

TEST_F(Provider, ComputesOnTheDeviceOfItsOption) {
  ProviderOptions options = kTakeAll;
  options["device"] = "nnapi-reference";
  const auto session = runtime_.session(scaled_sum(), &options);
  EXPECT_THAT(run_floats(*session, Tensor::floats({2, 2}, {1, 1, 1, 1})), ElementsAre(2, 3, 4, 5));
}

// All threads share two sessions. One has open shapes, of which the threads use more than stay compiled. Now and then a thread
// makes a session of its own.
TEST_F(Provider, RunsFromSixteenThreads) {
  const auto closed = runtime_.session(scaled_sum(), &kTakeAll);
  const auto open = runtime_.session(open_product(), &kTakeAll);
  const auto sums = [](const Session& session, float v) {
    return run_floats(session, Tensor::floats({2, 2}, {v, v, v, v})) == std::vector<float>{2 * v, 3 * v, 4 * v, 5 * v};
  };
  const auto products = [](const Session& session, float v, int64_t batch) {
    std::vector<float> x;
    std::vector<float> expected;
    for (int64_t i = 0; i < batch; ++i) {
      x.insert(x.end(), {v, 2, 4});
      expected.insert(expected.end(), {v + 4, 6});
    }
    return run_floats(session, Tensor::floats({batch, 3}, x)) == expected;
  };
  const Rounds rounds(100);
  std::vector<int> wrong(16, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto v = static_cast<float>(t);
      for (int i = 0; rounds.go_on(i); ++i) {
        if (!sums(*closed, v)) ++wrong[t];
        if (!products(*open, v, 1 + (i + static_cast<int>(t)) % 12)) ++wrong[t];
        if (i % 50 == 0 && !sums(*runtime_.session(scaled_sum(), &kTakeAll), v)) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST_F(Provider, IsUnregisteredAndRegisteredAgain) {
  for (int round = 0; round < 3; ++round) {
    {
      const auto session = runtime_.session(scaled_sum(), &kTakeAll);
      EXPECT_THAT(run_floats(*session, Tensor::floats({2, 2}, {1, 1, 1, 1})), ElementsAre(2, 3, 4, 5));
    }
    runtime_.unregister_provider();
    EXPECT_TRUE(runtime_.device_names().empty());
    runtime_.register_provider(NNVK_ONNXRUNTIME_PROVIDER);
  }
}

// Makes an EPContext model of a file's model beside it; gives its bytes.
std::string context_model(const StockRuntime& runtime, const std::string& model) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("nnvk_context_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string target = (folder / "context.onnx").string();
  ProviderOptions settings{{"ep.context_enable", "1"}, {"ep.context_file_path", target}};
  runtime.session(model, &kTakeAll, 1, settings);
  std::ifstream file(target, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  file.close();
  std::filesystem::remove_all(folder);
  return bytes;
}

TEST_F(Provider, MakesAndRunsContextModels) {
  const std::string model = context_model(runtime_, scaled_sum());
  ASSERT_THAT(model, HasSubstr("EPContext"));
  const ProviderOptions none;
  const auto session = runtime_.session(model, &none);
  EXPECT_THAT(run_floats(*session, Tensor::floats({2, 2}, {1, 1, 1, 1})), ElementsAre(2, 3, 4, 5));
}

TEST_F(Provider, MakesAndRunsContextModelsOfOpenShapes) {
  const std::string model = context_model(runtime_, open_product());
  const ProviderOptions none;
  const auto session = runtime_.session(model, &none);
  for (const int64_t batch : {1, 3}) {
    const std::vector<float> x(static_cast<size_t>(batch) * 3, 1);
    EXPECT_EQ(session->run({{"x", Tensor::floats({batch, 3}, x)}}).at(0).values<float>(),
              std::vector<float>(static_cast<size_t>(batch) * 2, 2));
  }
}

TEST_F(Provider, RefusesDamagedContextModels) {
  std::string model = context_model(runtime_, scaled_sum());
  const size_t mark = model.find("nnvk graph");
  ASSERT_NE(mark, std::string::npos);
  model[mark] = 'x';
  EXPECT_THAT(error_of_session(model, {}), HasSubstr("make the model again"));
}

// NNVK_TEST_SESSIONS sets the number of sessions: 40 by default.
TEST_F(Provider, SessionsLeaveNothingBehind) {
  const char* const wanted = std::getenv("NNVK_TEST_SESSIONS");
  const int sessions = wanted == nullptr ? 40 : std::atoi(wanted);
  const std::string model = scaled_sum();
  const auto use_one = [&] {
    const auto session = runtime_.session(model, &kTakeAll);
    EXPECT_THAT(run_floats(*session, Tensor::floats({2, 2}, {1, 1, 1, 1})), ElementsAre(2, 3, 4, 5));
    runtime_.take_log();
  };
  for (int i = 0; i < 20; ++i) use_one();
  const size_t files = open_descriptors();
  const size_t memory = resident_kilobytes();
  for (int i = 0; i < sessions; ++i) use_one();
  EXPECT_EQ(open_descriptors(), files);
  constexpr size_t kSlack = 4096;
  if (kFreedMemoryReturns) {
    EXPECT_LT(resident_kilobytes(), memory + kSlack) << "after " << sessions << " sessions";
  }
}

// Measures the part of a run that is not the computation: the same trivial model by the runtime alone and by nnvk.
TEST_F(Provider, AddsLittleToARun) {
  const auto own = runtime_.session(scaled_sum(), &kTakeAll);
  const auto stock = runtime_.session(scaled_sum(), nullptr);
  const Tensor x = Tensor::floats({2, 2}, {1, 1, 1, 1});
  const auto fastest = [&](const Session& session) {
    auto best = std::chrono::nanoseconds::max();
    for (int i = 0; i < 2000; ++i) {
      const auto start = std::chrono::steady_clock::now();
      session.run({{"x", x}});
      best = std::min(best, std::chrono::nanoseconds(std::chrono::steady_clock::now() - start));
    }
    return best;
  };
  const auto stock_time = fastest(*stock);
  const auto own_time = fastest(*own);
  RecordProperty("stock_nanoseconds", static_cast<int>(stock_time.count()));
  RecordProperty("own_nanoseconds", static_cast<int>(own_time.count()));
  std::printf("a run takes %.1f us by the runtime alone and %.1f us by nnvk\n", static_cast<double>(stock_time.count()) * 1e-3,
              static_cast<double>(own_time.count()) * 1e-3);
  EXPECT_LT(own_time, stock_time + std::chrono::microseconds(50));
}

}  // namespace
}  // namespace nnvk::test
