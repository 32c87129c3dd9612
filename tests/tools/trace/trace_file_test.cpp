// Reading traces: the forms that writers use, and damaged files.
#include "tools/trace/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nnvk::tools::trace {
namespace {

using testing::HasSubstr;

Trace parsed(const std::string& text) {
  const auto trace = parse_trace(text, "t.json");
  EXPECT_TRUE(trace) << trace.error().message;
  return trace.value_or(Trace{});
}

std::string error_of(const std::string& text) {
  const auto trace = parse_trace(text, "t.json");
  EXPECT_FALSE(trace);
  return trace ? "" : trace.error().message;
}

constexpr const char* kTwoEvents = R"({"ph":"B","pid":1,"tid":2,"ts":10.5,"name":"a"},{"ph":"E","pid":1,"tid":2,"ts":20})";

TEST(TraceFile, BeginsAndEndsAreMatchedByThread) {
  const auto trace = parsed(R"([
    {"ph":"B","pid":1,"tid":2,"ts":10,"name":"outer"}, {"ph":"B","pid":1,"tid":3,"ts":11,"name":"other"},
    {"ph":"B","pid":1,"tid":2,"ts":12.25,"name":"inner","cat":"wait"}, {"ph":"E","pid":1,"tid":2,"ts":13},
    {"ph":"E","pid":1,"tid":2,"ts":14}, {"ph":"E","pid":1,"tid":3,"ts":15}])");
  ASSERT_EQ(trace.sections.size(), 3U);
  EXPECT_EQ(trace.sections[0].name, "outer");
  EXPECT_EQ(trace.sections[0].end, 14000);
  EXPECT_EQ(trace.sections[1].name, "other");
  EXPECT_EQ(trace.sections[1].end, 15000);
  EXPECT_EQ(trace.sections[2].category, "wait");
  EXPECT_EQ(trace.sections[2].begin, 12250);
  EXPECT_EQ(trace.sections[2].end, 13000);
}

TEST(TraceFile, CompleteAndAsynchronousEventsAreSectionsAndOthersAreSkipped) {
  const auto trace = parsed(R"({"displayTimeUnit":"ms","traceEvents":[
    {"ph":"X","pid":1,"tid":"gpu","ts":1,"dur":2.5,"name":"x","cat":"gpu"}, {"ph":"M","pid":1,"name":"process_name"},
    {"ph":"C","ts":3,"name":"counter"}, {"ph":"b","pid":1,"tid":1,"cat":"c","id":"7","ts":5,"name":"async"},
    {"ph":"e","pid":1,"tid":9,"cat":"c","id":"7","ts":8,"name":"async"}]})");
  ASSERT_EQ(trace.sections.size(), 2U);
  EXPECT_EQ(trace.sections[0].end - trace.sections[0].begin, 2500);
  EXPECT_EQ(trace.sections[0].track, "gpu");
  EXPECT_EQ(trace.sections[1].end, 8000) << "another thread ends what has the same id";
}

TEST(TraceFile, TheClosingBracketMayBeMissing) {
  for (const auto* ending : {"", "]", ",", "\n", ",\n", "]\n"}) {
    EXPECT_EQ(parsed(std::string("[") + kTwoEvents + ending).sections.size(), 1U) << ending;
  }
  EXPECT_TRUE(parsed("[").sections.empty());
}

TEST(TraceFile, WhatIsOpenAtTheEndEndsThere) {
  const auto trace = parsed(R"([{"ph":"E","pid":1,"tid":2,"ts":5}, {"ph":"B","pid":1,"tid":2,"ts":10,"name":"a"},
                                {"ph":"X","pid":1,"tid":3,"ts":12,"dur":8,"name":"b"}])");
  EXPECT_EQ(trace.without_begin, 1U);
  EXPECT_EQ(trace.without_end, 1U);
  EXPECT_EQ(trace.sections[0].end, 20000);
}

TEST(TraceFile, ErrorsSayWhatAndWhere) {
  EXPECT_THAT(error_of(""), HasSubstr("t.json is empty"));
  EXPECT_THAT(error_of("hello"), HasSubstr("t.json is not JSON, line 1, column 1"));
  EXPECT_THAT(error_of("[\n{\"ph\":\"B\"},\n{]"), HasSubstr("line 3, column 2"));
  EXPECT_THAT(error_of("3"), HasSubstr("not an array"));
  EXPECT_THAT(error_of("{\"events\":[]}"), HasSubstr("no \"traceEvents\""));
  EXPECT_THAT(error_of("{\"traceEvents\":3}"), HasSubstr("not an array"));
  EXPECT_THAT(error_of("[3]"), HasSubstr("event 0 is not an object"));
  EXPECT_THAT(error_of(R"([{"ph":"M"},{"ph":"B","name":"x","ts":"now"}])"),
              HasSubstr("event 1 (\"x\", phase B) has no number \"ts\""));
  EXPECT_THAT(error_of(R"([{"ph":"X","name":"x","ts":1}])"), HasSubstr("has no number \"dur\""));
  EXPECT_THAT(error_of(R"([{"ph":"X","name":"x","ts":1,"dur":-1}])"), HasSubstr("\"dur\" is negative"));
  EXPECT_THAT(error_of(R"([{"ph":"B","name":"x","ts":1e300}])"), HasSubstr("out of range"));
}

TEST(TraceFile, AFileThatWasCutInAnEventIsAnErrorWhereverItWasCut) {
  const std::string whole = std::string("[\n") + kTwoEvents;
  const size_t first_end = whole.find('}') + 1;
  for (size_t size = 3; size < whole.size(); ++size) {
    if (size == first_end || size == first_end + 1) continue;  // whole events
    EXPECT_THAT(error_of(whole.substr(0, size)), HasSubstr("stops in the middle of an event, line 2")) << size;
  }
}

TEST(TraceFile, FilesOfTheSameTimeAreAddedUp) {
  auto trace = parsed(std::string("[") + kTwoEvents + "]");
  add_trace(trace, parsed(R"([{"ph":"B","pid":1,"tid":2,"ts":1,"name":"application"}])"));
  ASSERT_EQ(trace.sections.size(), 2U);
  EXPECT_EQ(trace.sections[1].name, "application");
  EXPECT_EQ(trace.without_end, 1U);
  EXPECT_THAT(read_trace("/nonexistent.json").error().message, HasSubstr("/nonexistent.json"));
}

}  // namespace
}  // namespace nnvk::tools::trace
