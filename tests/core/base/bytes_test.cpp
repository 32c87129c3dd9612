// Hashes, checksums, byte streams and the build id, which cache files need.
#include <gtest/gtest.h>

#include <vector>

#include "core/base/build_id.h"
#include "core/base/byte_stream.h"
#include "core/base/checksum.h"
#include "core/base/sha256.h"

namespace nnvk {
namespace {

TEST(Sha256, OfThePublishedExample) {
  const Sha256Digest digest = Sha256().add("a").add("bc").finish();
  const Sha256Digest wanted{0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                            0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  EXPECT_EQ(digest, wanted);
}

TEST(Checksum, ChangesWithEveryBitAndWithTheLength) {
  std::vector<std::byte> block(77);
  for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>(i * 37);
  const uint64_t whole = checksum(block);
  for (size_t bit = 0; bit < block.size() * 8; ++bit) {
    block[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_NE(checksum(block), whole) << "bit " << bit;
    block[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
  EXPECT_EQ(checksum(block), whole);
  const std::vector<std::byte> zeros(100);
  for (size_t size = 0; size < 99; ++size) {
    EXPECT_NE(checksum(std::span(zeros).first(size)), checksum(std::span(zeros).first(size + 1))) << size;
  }
}

TEST(ByteStream, GivesBackWhatWasWritten) {
  ByteWriter writer;
  writer.value(uint16_t{7});
  writer.text("weights");
  writer.block({});
  writer.value(-1.5F);
  const std::vector<std::byte> bytes = writer.take();
  ByteReader reader(bytes);
  EXPECT_EQ(reader.value<uint16_t>(), 7);
  EXPECT_EQ(reader.text(), "weights");
  EXPECT_TRUE(reader.block().empty());
  EXPECT_EQ(reader.value<float>(), -1.5F);
  EXPECT_TRUE(reader.at_end());
}

TEST(ByteStream, NeverReadsBeyondTheEnd) {
  ByteWriter writer;
  writer.text("weights");
  writer.value(uint64_t{9});
  const std::vector<std::byte> bytes = writer.take();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader{std::span(bytes).first(size)};
    (void)reader.text();
    (void)reader.value<uint64_t>();
    EXPECT_FALSE(reader.ok()) << size;
    EXPECT_FALSE(reader.at_end());
    EXPECT_EQ(reader.value<uint32_t>(), 0U) << "after the first failure there is nothing";
  }
  ByteWriter lying;
  lying.value(UINT64_MAX);
  ByteReader reader(lying.view());
  EXPECT_TRUE(reader.block().empty());
  EXPECT_FALSE(reader.ok());
}

TEST(BuildId, IsThere) { EXPECT_GE(build_id().size(), 8U); }

}  // namespace
}  // namespace nnvk
