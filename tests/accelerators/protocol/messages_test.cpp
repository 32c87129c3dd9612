// Messages of the plugin protocol arrive as sent; the receiver rejects anything else.
#include "accelerators/protocol/messages.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "accelerators/protocol/packet.h"
#include "accelerators/protocol/transfer.h"
#include "tests/fuzz/plugin_messages.h"

namespace nnvk::accelerators {
namespace {

using fuzz::various_execution;
using fuzz::various_model;

std::vector<FileDescriptor> open_files(size_t count) {
  std::vector<FileDescriptor> files;
  for (size_t i = 0; i < count; ++i) files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return files;
}

// Encodes and decodes a message; null if the receiver rejects it.
template <class R>
std::optional<R> arrived(const R& request) {
  const auto message = encode_request(7, request);
  EXPECT_TRUE(message) << message.error().text();
  const auto files = open_files(message->descriptors.size());
  auto decoded = decode_request(message->body, files);
  if (!decoded) return std::nullopt;
  EXPECT_EQ(decoded->id, 7U);
  return std::get<R>(std::move(decoded->request));
}

TEST(PluginMessages, AnExecutionArrivesAsItWasSent) {
  const ExecutionRequest sent = various_execution();
  const auto request = arrived(sent);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->compilation, sent.compilation);
  ASSERT_EQ(request->inputs.size(), 2U);
  EXPECT_EQ(request->inputs[0].range, sent.inputs[0].range);
  EXPECT_EQ(request->inputs[0].dimensions, sent.inputs[0].dimensions);
  EXPECT_EQ(request->inputs[1].memory, sent.inputs[1].memory);
  ASSERT_EQ(request->outputs.size(), 2U);
  EXPECT_TRUE(request->outputs[0].is_omitted());
  EXPECT_EQ(request->deadline, sent.deadline);
  EXPECT_TRUE(request->measure_timing);
  EXPECT_EQ(request->attributes, sent.attributes);
}

TEST(PluginMessages, ACompilationArrivesWithItsFiles) {
  CompilationRequest sent;
  sent.device = 2;
  sent.model = various_model();
  sent.preference = 2;
  sent.priority = 90;
  const auto files = open_files(3);
  sent.cache = CacheFiles{{files[0].get()}, {files[1].get(), files[2].get()}, {}};
  sent.cache->token[31] = 9;
  const auto message = encode_request(1, sent);
  ASSERT_TRUE(message);
  EXPECT_THAT(message->descriptors, ::testing::ElementsAre(files[0].get(), files[1].get(), files[2].get()));
  const auto decoded = decode_request(message->body, files);
  ASSERT_TRUE(decoded) << decoded.error().text();
  const auto& request = std::get<CompilationRequest>(decoded->request);
  EXPECT_EQ(request.cache->data_files, sent.cache->data_files);
  EXPECT_EQ(request.cache->token, sent.cache->token);
  ASSERT_EQ(request.model.operands.size(), sent.model.operands.size());
  EXPECT_EQ(request.model.operands[3].channel_quant, sent.model.operands[3].channel_quant);
  EXPECT_EQ(request.model.operands[3].range, sent.model.operands[3].range);
  EXPECT_EQ(request.model.operands[5].extension, sent.model.operands[5].extension);
  EXPECT_EQ(request.model.operations[1].extension->extension, "org.test.operations");
  EXPECT_EQ(request.model.operations[1].extension->code, 3);
  EXPECT_EQ(request.model.operations[0].inputs, sent.model.operations[0].inputs);
  EXPECT_TRUE(request.model.relaxed);
  EXPECT_EQ(request.priority, 90);
}

// For every request: every shorter prefix of its bytes, and its bytes with one more.
TEST(PluginMessages, ACutOrExtendedRequestIsNone) {
  const auto expect_refused = [](const Message& message) {
    const auto files = open_files(message.descriptors.size());
    for (size_t size = 0; size < message.body.size(); ++size) {
      EXPECT_FALSE(decode_request(std::span(message.body).first(size), files)) << size;
    }
    auto longer = message.body;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(decode_request(longer, files));
  };
  CompilationRequest compilation;
  compilation.model = various_model();
  compilation.cache = CacheFiles{{0}, {}, {}};
  expect_refused(*encode_request(1, compilation));
  expect_refused(*encode_request(1, various_execution()));
  expect_refused(*encode_request(1, SupportRequest{0, various_model()}));
  expect_refused(*encode_request(1, ShareRequest{{0, 0, 64}}));
  expect_refused(*encode_request(1, DeviceMemoryRequest{{{CompilationId{1}, true, 0}}}));
  expect_refused(*encode_request(1, ReadMemoryRequest{MemoryId{1}, {RegionId{2}, 0, 64}}));
}

TEST(PluginMessages, AnotherNumberOfDescriptorsThanARequestNeedsIsRefused) {
  const auto share = *encode_request(1, ShareRequest{{0, 0, 64}});
  EXPECT_FALSE(decode_request(share.body, open_files(0)));
  EXPECT_TRUE(decode_request(share.body, open_files(1)));
  EXPECT_FALSE(decode_request(share.body, open_files(2)));
  EXPECT_FALSE(decode_request(encode_request(1, various_execution())->body, open_files(1)));
}

TEST(PluginMessages, ARequestThatNobodyCouldReadIsNotSent) {
  ExecutionRequest request = various_execution();
  request.inputs.resize(kMostArguments + 1);
  const auto message = encode_request(1, request);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, Code::kBadData);
}

TEST(PluginMessages, ABooleanIsZeroOrOne) {
  auto message = *encode_request(1, ShareRequest{{0, 0, 64, true, false}});
  message.body.back() = std::byte{2};
  EXPECT_FALSE(decode_request(message.body, open_files(1)));
}

TEST(PluginMessages, CountsWithoutTheirElementsMakeNothing) {
  auto message = *encode_request(1, various_execution());
  const uint32_t huge = 0xFFFF;  // within the limit, but there are no such bytes
  std::memcpy(message.body.data() + 24, &huge, sizeof huge);
  EXPECT_FALSE(decode_request(message.body, {}));
}

TEST(PluginMessages, AnErrorKeepsItsCodeAndLosesWhatCannotBePrinted) {
  const Message message = encode_answer<RegionId>(3, fail(Code::kUnmappable, "line\nand \x1B[31mcolour"));
  EXPECT_EQ(*decode_answer_id(message.body), 3U);
  const auto answer = decode_answer<RegionId>(message.body);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error().code, Code::kUnmappable);
  EXPECT_EQ(answer->error().message, "line and  [31mcolour");
}

TEST(PluginMessages, KeepTheReasonsOfDeclinedOperationsInPrintableText) {
  using Answer = std::vector<OperationSupport>;
  const auto answer = decode_answer<Answer>(encode_answer<Answer>(3, Answer{{true}, {false, "no\tmemory"}, {false}}).body);
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(**answer, (Answer{{true}, {false, "no memory"}, {false}}));
}

TEST(PluginMessages, AReasonThatIsTooLongMakesTheAnswerAnError) {
  using Answer = std::vector<OperationSupport>;
  const auto answer = decode_answer<Answer>(encode_answer<Answer>(3, Answer{{false, std::string(256, 'x')}}).body);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error().code, Code::kOpFailed);
}

TEST(PluginMessages, AnAnswerOfAnotherTypeIsNone) {
  const Message flags = encode_answer<std::vector<OperationSupport>>(3, std::vector<OperationSupport>(5, {true}));
  EXPECT_TRUE(decode_answer<std::vector<OperationSupport>>(flags.body));
  EXPECT_FALSE(decode_answer<ExecutionAnswer>(flags.body));
  EXPECT_FALSE(decode_answer<CompiledModel>(flags.body));
  EXPECT_FALSE(decode_answer<Done>(flags.body));
}

TEST(PluginMessages, ACodeThatNnapiLacksIsNone) {
  ExecutionAnswer answer;
  answer.code = static_cast<Code>(99);
  EXPECT_FALSE(decode_answer<ExecutionAnswer>(encode_answer<ExecutionAnswer>(1, answer).body));
}

TEST(PluginMessages, AnotherVersionIsToldAsSuch) {
  Message message = encode_answer<Done>(0, Done{});
  message.body[0] = std::byte{200};
  const auto id = decode_answer_id(message.body);
  ASSERT_FALSE(id);
  EXPECT_THAT(id.error().text(), ::testing::HasSubstr("version 200"));
}

}  // namespace
}  // namespace nnvk::accelerators
