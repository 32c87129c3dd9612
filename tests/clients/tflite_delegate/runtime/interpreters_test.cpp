// The things that applications do with interpreters: other sizes, shapes that only an execution knows, states, threads, wrong
// options, many interpreters one after the other.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorflow/lite/delegates/external/external_delegate.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "tests/clients/tflite_delegate/runtime/small_model.h"
#include "tests/clients/tflite_delegate/runtime/stock_interpreter.h"
#include "tests/support/meant_leaks.h"
#include "tests/support/process_usage.h"
#include "tests/support/rounds.h"
#include "tests/support/sanitizer_limits.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

const DelegateOptions kOnCpu{{"device", "nnvk-cpu"}, {"min_nodes", "1"}};

TEST(StockTensorFlowLite, FindsTheDelegateWithoutOptions) {
  const PluginDelegate delegate({});
  ASSERT_NE(delegate.get(), nullptr) << PluginDelegate::last_error();
}

TEST(StockTensorFlowLite, LearnsWhatIsWrongWithOptions) {
  EXPECT_EQ(PluginDelegate(DelegateOptions{{"colour", "red"}}).get(), nullptr);
  EXPECT_EQ(PluginDelegate::last_error(),
            "nnvk: option 'colour' is unknown; there are: device, precision, cache_dir, priority, min_nodes, explain, choice");
  EXPECT_EQ(PluginDelegate(DelegateOptions{{"precision", "half"}}).get(), nullptr);
  EXPECT_EQ(PluginDelegate::last_error(),
            "nnvk: option 'precision' has the unknown value 'half'; it takes one of: exact, relaxed");
  EXPECT_EQ(PluginDelegate(DelegateOptions{{"device", "abacus"}}).get(), nullptr);
  EXPECT_THAT(PluginDelegate::last_error(), HasSubstr("abacus"));
}

// TensorFlow Lite's own loader of external delegates, a library of its own.
TEST(StockTensorFlowLite, LoadsTheDelegateAsAnExternalOne) {
  void* const loader = ::dlopen(NNVK_EXTERNAL_DELEGATE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(loader, nullptr) << ::dlerror();
  const auto defaults = reinterpret_cast<decltype(&::TfLiteExternalDelegateOptionsDefault)>(
      ::dlsym(loader, "TfLiteExternalDelegateOptionsDefault"));
  const auto create =
      reinterpret_cast<decltype(&::TfLiteExternalDelegateCreate)>(::dlsym(loader, "TfLiteExternalDelegateCreate"));
  const auto remove =
      reinterpret_cast<decltype(&::TfLiteExternalDelegateDelete)>(::dlsym(loader, "TfLiteExternalDelegateDelete"));
  TfLiteExternalDelegateOptions options = defaults(NNVK_TFLITE_DELEGATE);
  ASSERT_EQ(options.insert(&options, "device", "nnvk-cpu"), kTfLiteOk);
  TfLiteDelegate* const delegate = create(&options);
  ASSERT_NE(delegate, nullptr);
  {
    const Bytes file = elementwise_model({2});
    StockInterpreter own(file, delegate);
    ASSERT_TRUE(own.made() && own.allocate()) << own.errors();
    own.set_floats(0, {-1, 2});
    ASSERT_TRUE(own.invoke()) << own.errors();
    EXPECT_THAT(own.floats(0), ElementsAre(0, 4));
  }
  remove(delegate);
  // This loader gives no function for errors, so the delegate writes them to stderr.
  TfLiteExternalDelegateOptions wrong = defaults(NNVK_TFLITE_DELEGATE);
  ASSERT_EQ(wrong.insert(&wrong, "colour", "red"), kTfLiteOk);
  testing::internal::CaptureStderr();
  {
    const MeantLeaks of_the_loader;
    create(&wrong);  // TensorFlow Lite 2.9 gives a pointer that nobody may use, and loses 72 bytes
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("nnvk: option 'colour' is unknown"));
}

TEST(StockTensorFlowLite, ResizesInputs) {
  const Bytes file = elementwise_model({1, 4});
  const PluginDelegate delegate(kOnCpu);
  StockInterpreter own(file, delegate.get());
  ASSERT_TRUE(own.made()) << own.errors();
  for (const int size : {4, 1, 7, 4}) {
    ASSERT_TRUE(own.resize(0, {3, size})) << own.errors();
    ASSERT_TRUE(own.allocate()) << own.errors();
    std::vector<float> values(static_cast<size_t>(3 * size));
    std::vector<float> expected;
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i) - 4;
      expected.push_back(std::max(0.0f, 2 * values[i]));
    }
    own.set_floats(0, values);
    ASSERT_TRUE(own.invoke()) << own.errors();
    EXPECT_THAT(shape_of(own.output(0)), ElementsAre(3, size));
    EXPECT_EQ(own.floats(0), expected);
  }
}

TEST(StockTensorFlowLite, ResizesAWholeNetwork) {
  const Bytes file = file_bytes(NNVK_SOURCE_DIR "/models/upscaler_float.tflite");
  const PluginDelegate delegate(kOnCpu);
  StockInterpreter own(file, delegate.get());
  StockInterpreter expected(file, nullptr);
  ASSERT_TRUE(own.made() && expected.made()) << own.errors();
  for (const std::vector<int>& size : {std::vector<int>{1, 24, 40, 3}, std::vector<int>{1, 33, 17, 3}}) {
    std::vector<float> values(static_cast<size_t>(size[1] * size[2] * 3));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 251) / 250;
    for (StockInterpreter* interpreter : {&own, &expected}) {
      ASSERT_TRUE(interpreter->resize(0, size) && interpreter->allocate()) << interpreter->errors();
      interpreter->set_floats(0, values);
      ASSERT_TRUE(interpreter->invoke()) << interpreter->errors();
    }
    ASSERT_EQ(shape_of(own.output(0)), shape_of(expected.output(0)));
    EXPECT_THAT(own.floats(0), Pointwise(FloatNear(1e-4f), expected.floats(0)));
  }
}

TEST(StockTensorFlowLite, ComputesShapesThatOnlyTheExecutionKnows) {
  const Bytes file = dynamic_model();
  const PluginDelegate delegate(kOnCpu);
  testing::internal::CaptureStderr();
  const PluginDelegate explaining({{"device", "nnvk-cpu"}, {"min_nodes", "1"}, {"explain", "1"}});
  StockInterpreter own(file, explaining.get());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("takes 1 of 2 operators"));
  ASSERT_TRUE(own.made() && own.allocate()) << own.errors();
  for (const std::vector<int>& shape : {std::vector<int>{2, 2}, std::vector<int>{4, 1}, std::vector<int>{1, 4}}) {
    own.set_floats(0, {-1, 2, -3, 4});
    std::memcpy(own.input(1).data.raw, shape.data(), 8);
    ASSERT_TRUE(own.invoke()) << own.errors();
    EXPECT_EQ(shape_of(own.output(0)), shape);
    EXPECT_THAT(own.floats(0), ElementsAre(1, 2, 3, 4));
  }
}

TEST(StockTensorFlowLite, KeepsStatesBetweenExecutions) {
  const Bytes file = recurrent_model();
  testing::internal::CaptureStderr();
  const PluginDelegate delegate({{"device", "nnvk-cpu"}, {"min_nodes", "1"}, {"explain", "1"}});
  StockInterpreter own(file, delegate.get());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("takes 1 of 1 operators"));
  StockInterpreter expected(file, nullptr);
  ASSERT_TRUE(own.made() && own.allocate()) << own.errors();
  ASSERT_TRUE(expected.made() && expected.allocate()) << expected.errors();
  std::vector<float> first;
  std::vector<float> second;
  for (int step = 0; step < 4; ++step) {
    if (step == 3) {
      ASSERT_TRUE(own.reset_variables() && expected.reset_variables());
    }
    for (StockInterpreter* interpreter : {&own, &expected}) {
      interpreter->set_floats(0, std::vector<float>(12, 0.5f));
      ASSERT_TRUE(interpreter->invoke()) << interpreter->errors();
    }
    EXPECT_THAT(own.floats(0), Pointwise(FloatNear(1e-5f), expected.floats(0))) << "execution " << step;
    if (step == 0) first = own.floats(0);
    if (step == 1) second = own.floats(0);
    if (step == 3) {
      EXPECT_EQ(own.floats(0), first) << "after the variables were reset";
    }
  }
  EXPECT_NE(first, second) << "the state must have changed the result";
}

TEST(StockTensorFlowLite, RunsInterpretersInThreadsWithOneDelegate) {
  const Bytes file = file_bytes(NNVK_SOURCE_DIR "/models/digits_quant.tflite");
  const PluginDelegate delegate(kOnCpu);
  StockInterpreter expected(file, nullptr);
  ASSERT_TRUE(expected.made() && expected.allocate());
  std::memset(expected.input(0).data.raw, 17, expected.input(0).bytes);
  ASSERT_TRUE(expected.invoke());
  const Bytes answer(expected.output(0).data.uint8, expected.output(0).data.uint8 + expected.output(0).bytes);
  const Rounds rounds(20);
  std::vector<int> wrong(16);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      StockInterpreter own(file, delegate.get());
      if (!own.made() || !own.allocate()) {
        wrong[t] = 1000;
        return;
      }
      for (int i = 0; rounds.go_on(i); ++i) {
        std::memset(own.input(0).data.raw, 17, own.input(0).bytes);
        if (!own.invoke()) ++wrong[t];
        for (size_t e = 0; e < answer.size(); ++e) {
          const auto a = static_cast<int8_t>(own.output(0).data.uint8[e]);
          if (std::abs(a - static_cast<int8_t>(answer[e])) > 1) ++wrong[t];
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(StockTensorFlowLite, LoadsFromTheCacheFolder) {
  const TemporaryFolder folder;
  const Bytes file = file_bytes(NNVK_SOURCE_DIR "/models/digits_float.tflite");
  std::vector<float> first;
  for (int times = 0; times < 2; ++times) {
    const PluginDelegate delegate({{"device", "vulkan"}, {"min_nodes", "1"}, {"cache_dir", folder.path()}});
    if (delegate.get() == nullptr) GTEST_SKIP() << PluginDelegate::last_error();
    StockInterpreter own(file, delegate.get());
    ASSERT_TRUE(own.made() && own.allocate()) << own.errors();
    own.set_floats(0, std::vector<float>(64, 0.25f));
    ASSERT_TRUE(own.invoke()) << own.errors();
    if (times == 0) first = own.floats(0);
    EXPECT_EQ(own.floats(0), first);
    EXPECT_FALSE(folder.names().empty());
  }
}

TEST(StockTensorFlowLite, MakesAndFreesManyInterpretersWithoutGrowth) {
  const int times = tests_everything() ? 1000 : 100;
  const Bytes file = file_bytes(NNVK_SOURCE_DIR "/models/digits_quant.tflite");
  size_t kilobytes = 0;
  size_t files = 0;
  for (int i = 0; i < times; ++i) {
    const PluginDelegate delegate(kOnCpu);
    StockInterpreter own(file, delegate.get());
    ASSERT_TRUE(own.made() && own.allocate() && own.invoke()) << own.errors();
    if (i == times / 3) {
      kilobytes = resident_kilobytes();
      files = open_descriptors();
    }
  }
  const size_t after = resident_kilobytes();
  std::cout << times << " interpreters: " << kilobytes << " KiB after a third, " << after << " KiB at the end\n";
  EXPECT_EQ(open_descriptors(), files);
  if (kFreedMemoryReturns) {
    EXPECT_LT(after, kilobytes + 2048);
  }
}

}  // namespace
}  // namespace nnvk::test
