// A driver in a host process behaves like one in this process, and survives the loss of its host.
#include "accelerators/host/hosted_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "tests/accelerators/host/hosted_driver_fixture.h"
#include "tests/support/child_process.h"
#include "tests/support/descriptors.h"

namespace nnvk::test {
namespace {

TEST_F(HostedDriverTest, TellsTheDevicesOfThePlugin) {
  const auto devices = driver_->devices();
  ASSERT_TRUE(devices) << devices.error().text();
  ASSERT_EQ(devices->size(), 1U);
  EXPECT_EQ(devices->front().name, "test-plugin");
  EXPECT_EQ(devices->front().relaxed_scalar.execution_time, 0.5F);
}

TEST_F(HostedDriverTest, ComputesInTheCallersThreadsTime) {
  const ExecutionAnswer answer = adder_.run(5);
  EXPECT_EQ(answer.code, Code::kNoError) << answer.message;
  ASSERT_EQ(answer.outputs.size(), 1U);
  EXPECT_THAT(answer.outputs.front().dimensions, ::testing::ElementsAre(kElements));
  EXPECT_EQ(adder_.sum(0), 15);
  EXPECT_EQ(adder_.sum(3), 13);
}

TEST_F(HostedDriverTest, ComputesWhileNobodyWaits) {
  EXPECT_EQ(adder_.run(6, false).code, Code::kNoError);
  EXPECT_EQ(adder_.sum(0), 16);
}

TEST_F(HostedDriverTest, SaysWhichOperationsRun) {
  const auto supported = driver_->supported_operations(0, addition());
  ASSERT_TRUE(supported) << supported.error().text();
  EXPECT_EQ(*supported, std::vector<OperationSupport>{{true}});
}

TEST_F(HostedDriverTest, PassesOnTheErrorsOfThePlugin) {
  const auto memory = driver_->allocate({{{CompilationId::kNone, true, 0}}});
  EXPECT_EQ(memory.error().code, Code::kDeadObject);  // no compilation of this generation
  ASSERT_TRUE(adder_.prepare());
  const auto refused = driver_->allocate({{{adder_.compilation(), true, 0}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kOpFailed);
}

TEST_F(HostedDriverTest, ManyExecutionsRunAtOnce) {
  ASSERT_TRUE(adder_.prepare());
  constexpr size_t kMany = 8;
  std::vector<std::unique_ptr<Adder>> adders;
  std::array<AwaitedAnswer, kMany> answers;
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < kMany; ++i) {
    adders.push_back(std::make_unique<Adder>(*driver_));
    ASSERT_TRUE(adders.back()->prepare());
    driver_->execute(adders.back()->request(kSleep, false), answers[i].done());
  }
  for (auto& answer : answers) EXPECT_EQ(answer.get().code, Code::kNoError);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kMany * std::chrono::milliseconds(30));
}

TEST_F(HostedDriverTest, MoreExecutionsThanTheSocketHoldsAllEnd) {
  ASSERT_TRUE(adder_.prepare());
  constexpr size_t kMany = 3000;
  std::vector<AwaitedAnswer> answers(kMany);
  for (AwaitedAnswer& answer : answers) driver_->execute(adder_.request(1, false), answer.done());
  for (AwaitedAnswer& answer : answers) EXPECT_EQ(answer.get().code, Code::kNoError);
}

TEST_F(HostedDriverTest, ThreadsMayMixWaitingAndNotWaiting) {
  ASSERT_TRUE(adder_.prepare());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      Adder own(*driver_);
      for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(own.run(static_cast<float>(i), (i + t) % 3 != 0).code, Code::kNoError);
        EXPECT_EQ(own.sum(0), static_cast<float>(i) + 10);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(HostedDriverTest, WhoeverIsToldOfAnAnswerMayCallAgainAndWait) {
  for (const bool first_waits : {true, false}) {
    for (const Order order : {kSleep, kCrash}) {
      expect_back_again();
      ASSERT_TRUE(adder_.prepare());
      Adder again(*driver_);
      AwaitedAnswer awaited;
      driver_->execute(adder_.request(static_cast<float>(order), first_waits), [&](ExecutionAnswer answer) {
        EXPECT_EQ(answer.code, order == kSleep ? Code::kNoError : Code::kDeadObject);
        const Code code = again.run(4).code;
        EXPECT_TRUE(code == Code::kNoError || (order == kCrash && code == Code::kDeadObject));
        awaited.done()(std::move(answer));
      });
      awaited.get();
    }
  }
}

TEST_F(HostedDriverTest, AModelTooLongForTheSocketGoesThroughMemory) {
  CompilationRequest request;
  request.model = addition();
  ModelOperand constant = request.model.operands[2];
  constant.bytes.resize(kLongestInlineConstant);
  for (int i = 0; i < 2000; ++i) request.model.operands.push_back(constant);
  EXPECT_TRUE(driver_->compile(request));
}

TEST_F(HostedDriverTest, MemoryThatCouldShrinkIsNotShared) {
  const FileDescriptor unsealed(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), 4096), 0);
  EXPECT_EQ(driver_->share({unsealed.get(), 0, 4096}).error().code, Code::kBadData);
  ASSERT_EQ(::fcntl(unsealed.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_TRUE(driver_->share({unsealed.get(), 0, 4096}));
  EXPECT_EQ(driver_->share({unsealed.get(), 0, 8192}).error().code, Code::kBadData);
  EXPECT_EQ(driver_->share({unsealed.get(), 4096, 1}).error().code, Code::kBadData);
}

TEST_F(HostedDriverTest, ThePluginCannotShrinkWhatIsShared) {
  EXPECT_EQ(adder_.order(kShrinkMemory), kRefused);
  expect_back_again();
}

TEST_F(HostedDriverTest, AMissingLibraryIsToldByItsName) {
  HostedDriverOptions options = test_host();
  options.command.arguments[1] = "/nowhere/libnothing.so";
  const auto devices = make_hosted_driver(options)->devices();
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().code, Code::kUnavailableDevice);
  EXPECT_THAT(devices.error().text(), ::testing::HasSubstr("libnothing.so"));
}

TEST_F(HostedDriverTest, AMissingProgramIsToldByItsName) {
  HostedDriverOptions options = test_host();
  options.command.program = "/nowhere/nnvk-plugin-host";
  const auto devices = make_hosted_driver(options)->devices();
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().code, Code::kUnavailableDevice);
  EXPECT_THAT(devices.error().text(), ::testing::HasSubstr("/nowhere/nnvk-plugin-host"));
}

TEST_F(HostedDriverTest, AProgramThatIsNoHostIsFoundOut) {
  HostedDriverOptions options = test_host();
  options.command.program = "/bin/true";
  EXPECT_EQ(make_hosted_driver(options)->devices().error().code, Code::kUnavailableDevice);
  options.command = {"/bin/sleep", {"100"}, {}};
  options.call_limit = std::chrono::milliseconds(100);
  // The host's id is appended to the arguments; `sleep` rejects it and exits.
  EXPECT_EQ(make_hosted_driver(options)->devices().error().code, Code::kUnavailableDevice);
}

// ---- Hosts that are lost

class LostHost : public HostedDriverTest, public ::testing::WithParamInterface<Order> {
 protected:
  // Only an unconfined plugin can send descriptors at all.
  static HostedDriverOptions impatient() {
    HostedDriverOptions options = test_host(GetParam() == kSendDescriptor ? "unconfined" : "strict");
    options.execution_limit = std::chrono::milliseconds(300);
    return options;
  }
  LostHost() : HostedDriverTest(impatient()) {}
};

TEST_P(LostHost, EndsTheExecutionInDeadObjectAndComesBack) {
  expect_back_again();
  const uint64_t before = driver_->generation();
  const ExecutionAnswer answer = adder_.run(static_cast<float>(GetParam()));
  EXPECT_EQ(answer.code, Code::kDeadObject) << answer.message;
  EXPECT_EQ(driver_->generation(), before + 1);
  expect_back_again();
}

TEST_P(LostHost, EndsWhatNobodyWaitsForAsWell) {
  EXPECT_EQ(adder_.run(static_cast<float>(GetParam()), false).code, Code::kDeadObject);
  expect_back_again();
}

INSTANTIATE_TEST_SUITE_P(Orders, LostHost,
                         ::testing::Values(kCrash, kAbort, kExit, kHang, kSendRubbish, kSendTruncatedAnswer, kSendWrongAnswer,
                                           kSendUnaskedAnswer, kSendDescriptor, kSendHugeCounts, kReturnDeadObject));

TEST_F(HostedDriverTest, AWrongCodeIsAnErrorOfTheExecutionAlone) {
  const uint64_t before = driver_->generation();
  EXPECT_EQ(adder_.run(kReturnNoCode).code, Code::kOpFailed);
  EXPECT_EQ(adder_.run(1).code, Code::kNoError);
  EXPECT_EQ(driver_->generation(), before);
}

TEST_F(HostedDriverTest, WrongShapesReachTheDeviceWhichJudgesThem) {
  const auto model = addition();
  const auto declared = std::span(model.operands).subspan(3, 1);
  for (const Order order : {kClaimWrongRank, kClaimWrongShape}) {
    ASSERT_TRUE(adder_.prepare());
    const ExecutionRequest request = adder_.request(static_cast<float>(order), true);
    AwaitedAnswer awaited;
    driver_->execute(request, awaited.done());
    ExecutionAnswer answer = awaited.get();
    EXPECT_FALSE(check_answer(answer, declared, request.outputs));
    EXPECT_EQ(answer.code, Code::kOpFailed);
  }
}

TEST_F(HostedDriverTest, ADeadlineThatThePluginIgnoresEndsTheHost) {
  HostedDriverOptions options = test_host();
  options.grace = std::chrono::milliseconds(50);
  const auto driver = make_hosted_driver(options);
  Adder adder(*driver);
  for (const bool waits : {true, false}) {
    ExecutionAnswer answer;
    do {
      answer = adder.run(kHang, waits, std::chrono::milliseconds(50));
    } while (answer.message.find("short order") != std::string::npos);
    EXPECT_EQ(answer.code, Code::kMissedDeadlineTransient) << answer.message;
  }
}

TEST_F(HostedDriverTest, OthersOfAHostThatHangsEndInDeadObject) {
  HostedDriverOptions options = test_host();
  options.execution_limit = std::chrono::milliseconds(200);
  const auto driver = make_hosted_driver(options);
  Adder hanging(*driver);
  Adder sleeping(*driver);
  ASSERT_TRUE(hanging.prepare());
  ASSERT_TRUE(sleeping.prepare());
  AwaitedAnswer first;
  AwaitedAnswer second;
  driver->execute(hanging.request(kHang, false), first.done());
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  driver->execute(sleeping.request(kHang, false), second.done());
  EXPECT_EQ(first.get().code, Code::kDeadObject);
  EXPECT_EQ(second.get().code, Code::kDeadObject);
}

// A terminal stops both processes in this way on Ctrl-Z. In a child process, so that the test program itself does not stop.
TEST_F(HostedDriverTest, AHostThatWasStoppedTogetherWithThisProcessIsNotOneThatHangs) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "no process of its own under ThreadSanitizer";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        HostedDriverOptions options = test_host();
        options.execution_limit = std::chrono::milliseconds(300);
        const auto driver = make_hosted_driver(options);
        Adder adder(*driver);
        if (!adder.prepare()) std::_Exit(2);
        const pid_t host = process_of_hosted_driver(*driver);
        ::kill(host, SIGSTOP);
        AwaitedAnswer answer;
        driver->execute(adder.request(1, false), answer.done());
        const pid_t stopped = ::getpid();
        if (::fork() == 0) {
          ::kill(stopped, SIGSTOP);
          ::sleep(2);
          ::kill(stopped, SIGCONT);
          ::usleep(50'000);
          ::kill(host, SIGCONT);
          ::_exit(0);
        }
        std::fprintf(stderr, "%s", answer.get().message.c_str());
        std::_Exit(answer.get().code == Code::kNoError && adder.sum(0) == 11 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(HostedDriverTest, IdsOfALostHostAreVoid) {
  ASSERT_EQ(adder_.run().code, Code::kNoError);
  const ExecutionRequest stale = adder_.request(1, true);
  const RegionId region = adder_.region();
  const CompilationId compilation = adder_.compilation();
  EXPECT_EQ(adder_.run(kCrash).code, Code::kDeadObject);
  expect_back_again();
  AwaitedAnswer answer;
  driver_->execute(stale, answer.done());
  EXPECT_EQ(answer.get().code, Code::kDeadObject);
  driver_->unshare(region);
  driver_->free_compilation(compilation);
  CompilationRequest request;
  request.model = addition();
  request.model.operands[2].bytes.clear();
  request.model.operands[2].range = {region, 0, 4};
  EXPECT_EQ(driver_->compile(request).error().code, Code::kDeadObject);
  expect_back_again();
}

TEST_F(HostedDriverTest, AHostKilledWhileIdleCostsNoExecution) {
  ASSERT_EQ(adder_.run().code, Code::kNoError);
  const uint64_t before = driver_->generation();
  ASSERT_EQ(::kill(process_of_hosted_driver(*driver_), SIGKILL), 0);
  // Until both of its processes have ended.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (driver_->generation() == before && std::chrono::steady_clock::now() < limit) ::usleep(1000);
  EXPECT_EQ(adder_.run().code, Code::kNoError);
}

TEST_F(HostedDriverTest, AHostThatKeepsDyingIsStartedLessAndLessOften) {
  HostedDriverOptions options = test_host();
  options.restart.first = std::chrono::hours(1);
  options.restart.longest = std::chrono::hours(1);
  const auto driver = make_hosted_driver(options);
  Adder adder(*driver);
  EXPECT_EQ(adder.run(kCrash).code, Code::kDeadObject);
  EXPECT_EQ(adder.run(kCrash).code, Code::kDeadObject);  // at once again
  const ExecutionAnswer answer = adder.run();
  EXPECT_EQ(answer.code, Code::kDeadObject);
  EXPECT_THAT(answer.message, ::testing::HasSubstr("not started again for the next"));
}

TEST_F(HostedDriverTest, WhoHasTimeWaitsUntilALostHostMayStartAgain) {
  HostedDriverOptions options = test_host();
  options.restart.first = options.restart.longest = std::chrono::milliseconds(300);
  const auto driver = make_hosted_driver(options);
  Adder adder(*driver);
  EXPECT_EQ(adder.run(kCrash).code, Code::kDeadObject);
  EXPECT_EQ(adder.run(kCrash).code, Code::kDeadObject);
  driver->wait_out_pause(std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
  EXPECT_THAT(adder.run().message, ::testing::HasSubstr("not started again for the next")) << "it would have been in vain";
  driver->wait_out_pause(std::chrono::steady_clock::now() + std::chrono::seconds(10));
  EXPECT_EQ(adder.run().code, Code::kNoError);
}

}  // namespace
}  // namespace nnvk::test
