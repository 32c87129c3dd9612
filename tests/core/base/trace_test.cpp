// A process decides once whether it traces, so every test runs in a child process that writes a file.
#include "core/base/trace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <vector>

#include "core/base/file_descriptor.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::trace {
namespace {

using nlohmann::json;
using test::in_child;

std::string file_of_test() {
  return testing::TempDir() + "nnvk_trace_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
}

void start_in_child(const std::string& file) {
  if (!start_file(file)) std::_Exit(1);
}

json events_of(const std::string& file) {
  std::ifstream stream(file);
  auto events = json::parse(stream, nullptr, false);
  EXPECT_TRUE(events.is_array()) << file << " is not a JSON array";
  std::filesystem::remove(file);
  return events.is_array() ? events : json::array();
}

// The trace of a child that runs `body`, which must succeed.
json traced(const std::function<void()>& body) {
  const std::string file = file_of_test();
  EXPECT_EQ(in_child([&] {
              start_in_child(file);
              body();
            }),
            0);
  return events_of(file);
}

json with_phase(const json& events, const char* phase) {
  json found = json::array();
  for (const auto& event : events) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

// Every end matches an earlier begin of its thread; none stays open.
void expect_matched(const json& events) {
  std::map<std::pair<int, int>, std::vector<double>> open;
  for (const auto& event : events) {
    auto& stack = open[{event["pid"], event["tid"]}];
    if (event["ph"] == "B") stack.push_back(event["ts"]);
    if (event["ph"] != "E") continue;
    ASSERT_FALSE(stack.empty());
    EXPECT_LE(stack.back(), event["ts"].get<double>());
    stack.pop_back();
  }
  for (const auto& [thread, stack] : open) EXPECT_TRUE(stack.empty());
}

TEST(Trace, SectionsAreBeginsAndEndsOfTheirThread) {
  const json events = traced([&] {
    name_this_thread("test thread");
    const Section outer("[NN_LR_PC]", "a \"plan\"\n\\");
    const Section inner("[NN_LU_PU]", "wait", Category::kWait);
  });
  expect_matched(events);
  const json begins = with_phase(events, "B");
  ASSERT_EQ(begins.size(), 2U);
  EXPECT_EQ(begins[0]["name"], "[NN_LR_PC]a \"plan\"\n\\");
  EXPECT_EQ(begins[0]["cat"], "nnapi");
  EXPECT_EQ(begins[1]["name"], "[NN_LU_PU]wait");
  EXPECT_EQ(begins[1]["cat"], "wait");
  const json names = with_phase(events, "M");
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0]["name"], "process_name");
  EXPECT_EQ(names[1]["name"], "thread_name");
  EXPECT_EQ(names[1]["args"]["name"], "test thread");
  EXPECT_EQ(names[1]["tid"], begins[0]["tid"]);
}

TEST(Trace, TheEnvironmentSwitchesItOn) {
  const std::string file = file_of_test();
  EXPECT_EQ(in_child([&] {
              ::setenv("NNVK_TRACE", file.c_str(), 1);
              const Section section("[NN_LR_PE]");
              if (!writes_file()) std::_Exit(1);
            }),
            0);
  EXPECT_EQ(with_phase(events_of(file), "B").size(), 1U);
}

TEST(Trace, WithoutTheVariableItIsOffForGood) {
  EXPECT_EQ(in_child([] {
              ::unsetenv("NNVK_TRACE");
              { const Section section("[NN_LR_PE]"); }
              if (may_be_on() || writes_file() || begin("[NN_LR_PE]")) std::_Exit(1);
            }),
            0);
}

TEST(Trace, AFileThatCannotBeWrittenIsAnErrorAndNothingElse) {
  EXPECT_EQ(in_child([] {
              const Status status = start_file("/nonexistent/trace.json");
              if (status || status.error().message.find("/nonexistent/trace.json") == std::string::npos) std::_Exit(1);
              ::setenv("NNVK_TRACE", "/nonexistent/trace.json", 1);
              const Section section("[NN_LR_PE]");
              if (may_be_on()) std::_Exit(2);
            }),
            0);
}

TEST(Trace, OnlyNewFilesAndOwnRegularOnesAreWritten) {
  const test::TemporaryFolder folder;
  const std::string precious = folder.file("precious");
  std::ofstream(precious) << "precious";
  std::filesystem::create_symlink(precious, folder.file("symbolic"));
  std::filesystem::create_symlink(folder.file("nothing"), folder.file("dangling"));
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const auto refusal = [&](const std::string& file) {
    const Status status = start_file(file);
    return status ? std::string() : status.error().message;
  };
  EXPECT_NE(refusal(folder.file("symbolic")).find("symbolic link"), std::string::npos);
  EXPECT_NE(refusal(folder.file("dangling")), "");
  EXPECT_NE(refusal(folder.file("pipe")).find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal(folder.path()), "");
  EXPECT_FALSE(std::filesystem::exists(folder.file("nothing")));
  std::filesystem::create_hard_link(precious, folder.file("hard"));
  EXPECT_NE(refusal(precious).find("hard links"), std::string::npos);
  if (::geteuid() == 0) {  // only root can change a file's owner
    const std::string foreign = folder.file("foreign");
    std::ofstream(foreign) << "precious";
    ASSERT_EQ(::chown(foreign.c_str(), 65534, 65534), 0);
    EXPECT_NE(refusal(foreign).find("another user"), std::string::npos);
  }
  std::string text;
  std::getline(std::ifstream(precious), text);
  EXPECT_EQ(text, "precious");
}

TEST(Trace, ALockHeldBySomebodyElseIsNotWaitedFor) {
  const std::string file = file_of_test();
  const FileDescriptor other(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  EXPECT_EQ(in_child([&] {
              if (start_file(file)) std::_Exit(1);
            }),
            0);
  ASSERT_EQ(::flock(other.get(), LOCK_UN), 0);
  EXPECT_EQ(in_child([&] {
              start_in_child(file);
              const FileDescriptor mine(::open(file.c_str(), O_RDWR | O_CLOEXEC));
              if (::flock(mine.get(), LOCK_EX) != 0) std::_Exit(1);
              for (int i = 0; i < 5000; ++i) const Section section("[NN_LC_PCO]", "CONV_2D");  // more than the buffer holds
              ::flock(mine.get(), LOCK_UN);
              const Section later("[NN_LC_PCO]", "later");
            }),
            0);
  const size_t begins = with_phase(events_of(file), "B").size();
  EXPECT_GT(begins, 100U) << "what the buffer held is written later";
  EXPECT_LT(begins, 5000U) << "the buffer does not grow";
}

TEST(Trace, AFileSizeLimitEndsTheTraceAndNotTheProcess) {
  const std::string file = file_of_test();
  EXPECT_EQ(in_child([&] {
              start_in_child(file);
              const rlimit limit{20'000, 20'000};
              if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(1);
              for (int i = 0; i < 5000; ++i) const Section section("[NN_LC_PCO]", "CONV_2D");
              if (may_be_on()) std::_Exit(2);
            }),
            0);
  std::filesystem::remove(file);
}

TEST(Trace, IsWholeWhenTheProcessIsKilled) {
  const std::string file = file_of_test();
  const int status = in_child([&] {
    start_in_child(file);
    for (int i = 0; i < 5000; ++i) const Section section("[NN_LC_PCO]", "CONV_2D");
    ::raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  const size_t begins = with_phase(events_of(file), "B").size();
  EXPECT_GT(begins, 4000U) << "only the last buffer may be missing";
}

TEST(Trace, HoldsWhatManyThreadsDo) {
  const json events = traced([&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 500; ++i) {
          const Section outer("[NN_LD_PE]");
          const Section inner("[NN_LD_PCO]", std::string(200, 'x'));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  expect_matched(events);
  EXPECT_EQ(with_phase(events, "B").size(), 4000U);
  std::set<int> threads;
  for (const auto& event : with_phase(events, "B")) threads.insert(event["tid"].get<int>());
  EXPECT_EQ(threads.size(), 4U);
}

TEST(Trace, AForkedChildGoesOnInTheFileWithItsOwnEvents) {
  const json events = traced([&] {
    { const Section before("[NN_LR_PE]", "before"); }
    const int status = in_child([] { const Section section("[NN_LR_PE]", "child"); });
    const Section after("[NN_LR_PE]", "after");
    if (status != 0) std::_Exit(1);
  });
  expect_matched(events);
  std::map<std::string, int> process_of;
  for (const auto& event : with_phase(events, "B")) process_of[event["name"]] = event["pid"];
  ASSERT_EQ(process_of.size(), 3U);
  EXPECT_EQ(with_phase(events, "B").size(), 3U) << "what the parent had buffered is written once";
  EXPECT_EQ(process_of["[NN_LR_PE]before"], process_of["[NN_LR_PE]after"]);
  EXPECT_NE(process_of["[NN_LR_PE]before"], process_of["[NN_LR_PE]child"]);
}

TEST(Trace, AProcessGoesOnWithItsFileAndAnotherStartsAnew) {
  const std::string file = file_of_test();
  for (const char* name : {"first", "second"}) {
    EXPECT_EQ(in_child([&] {
                start_in_child(file);
                { const Section section("[NN_LR_PE]", name); }
                start_in_child(file);  // as another library of the same process does
                const Section section("[NN_LR_PE]", name);
              }),
              0);
  }
  const json begins = with_phase(events_of(file), "B");
  ASSERT_EQ(begins.size(), 2U);
  for (const auto& event : begins) EXPECT_EQ(event["name"], "[NN_LR_PE]second");
}

TEST(Trace, ExitHandlersAreTracedAsWell) {
  const std::string file = file_of_test();
  EXPECT_EQ(in_child([&] {
              std::atexit([] { const Section section("[NN_LR_PT]", "late"); });  // runs after the trace's own handler
              start_in_child(file);
            }),
            0);
  const json events = events_of(file);
  expect_matched(events);
  EXPECT_EQ(with_phase(events, "B").size(), 1U);
}

TEST(Trace, EndsWhenSomebodyElseTakesTheFile) {
  const std::string file = file_of_test();
  EXPECT_EQ(in_child([&] {
              start_in_child(file);
              std::filesystem::resize_file(file, 0);
              for (int i = 0; i < 5000; ++i) const Section section("[NN_LC_PCO]", "CONV_2D");
              if (may_be_on()) std::_Exit(1);
            }),
            0);
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
  std::filesystem::remove(file);
}

TEST(Trace, DevicesHaveTracksBesideTheThreads) {
  const json events = traced([&] {
    const TrackId track = make_track("GPU of the test");
    slice(track, "[NN_LD_PCO]", "RELU", 1'000'001, 3'500'002);
    slice(make_track("another"), "[NN_LD_PCO]", "ADD", 0, 0);
  });
  const json slices = with_phase(events, "X");
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0]["name"], "[NN_LD_PCO]RELU");
  EXPECT_EQ(slices[0]["cat"], "gpu");
  EXPECT_EQ(slices[0]["ts"], 1000.001);
  EXPECT_EQ(slices[0]["dur"], 2500.001);
  EXPECT_NE(slices[0]["tid"], slices[1]["tid"]);
  EXPECT_GT(slices[0]["tid"].get<uint64_t>(), 1U << 22) << "no thread has this number";
  EXPECT_EQ(with_phase(events, "M")[1]["args"]["name"], "GPU of the test");
}

}  // namespace
}  // namespace nnvk::trace
