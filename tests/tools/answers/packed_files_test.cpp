// Archives at the end of files: small ones written here, byte by byte, and damaged ones.
#include "tools/answers/packed_files.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

namespace nnvk::tools::answers {
namespace {

void append(std::vector<uint8_t>& to, uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<uint8_t>(number >> (8 * i)));
}

void append(std::vector<uint8_t>& to, const std::string& text) { to.insert(to.end(), text.begin(), text.end()); }

std::string deflated(const std::string& text) {
  std::string packed(text.size() + 64, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// A file with an archive of two files behind its own bytes: a.txt is stored, b.txt is deflated.
std::vector<uint8_t> file_with_archive(const std::string& a, const std::string& b) {
  std::vector<uint8_t> file(100, 7);
  std::vector<uint8_t> directory;
  const auto add = [&](const std::string& name, const std::string& text, bool is_packed) {
    const std::string data = is_packed ? deflated(text) : text;
    const auto checksum = crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
    const size_t local = file.size();
    append(file, 0x04034B50, 4);
    for (auto* part : {&file, &directory}) {
      if (part == &directory) append(directory, 0x02014B50, 4), append(directory, 20, 2);
      append(*part, 20, 2);
      append(*part, 0, 2);
      append(*part, is_packed ? 8 : 0, 2);
      append(*part, 0, 4);  // time
      append(*part, checksum, 4);
      append(*part, data.size(), 4);
      append(*part, text.size(), 4);
      append(*part, name.size(), 2);
      append(*part, 0, 2);  // extra bytes
      if (part == &directory) append(directory, 0, 10), append(directory, local, 4);
      append(*part, name);
    }
    append(file, data);
  };
  add("a.txt", a, false);
  add("b.txt", b, true);
  const size_t at = file.size();
  file.insert(file.end(), directory.begin(), directory.end());
  append(file, 0x06054B50, 4);
  append(file, 0, 4);
  append(file, 2, 2);
  append(file, 2, 2);
  append(file, directory.size(), 4);
  append(file, at, 4);
  append(file, 0, 2);
  return file;
}

const std::string kLabels = "cat\ndog\ncat\ndog\ncat\ndog\n";

TEST(PackedFiles, StoredAndDeflatedFilesAreReadByName) {
  const auto file = file_with_archive("person\n", kLabels);
  EXPECT_EQ(packed_file(file, "a.txt"), "person\n");
  EXPECT_EQ(packed_file(file, "b.txt"), kLabels);
  EXPECT_EQ(packed_file(file, "c.txt"), std::nullopt);
  EXPECT_EQ(packed_file({}, "a.txt"), std::nullopt);
  EXPECT_EQ(packed_file(std::vector<uint8_t>(1000, 3), "a.txt"), std::nullopt);
}

TEST(PackedFiles, NoCutOrChangedFileIsReadBeyondItsEndOrGivesOtherText) {
  const auto file = file_with_archive("person\n", kLabels);
  for (size_t size = 0; size < file.size(); ++size) {
    const std::vector<uint8_t> cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));  // sanitizers see its end
    EXPECT_EQ(packed_file(cut, "b.txt"), std::nullopt) << size;
  }
  for (size_t at = 100; at < file.size(); ++at) {
    for (const uint8_t value : {0x00, 0x7F, 0xFF}) {
      auto changed = file;
      changed[at] = value;
      const auto text = packed_file(changed, "b.txt");
      EXPECT_TRUE(!text || *text == kLabels) << at;
    }
  }
}

}  // namespace
}  // namespace nnvk::tools::answers
