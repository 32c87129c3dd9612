// Zip archives at the end of files, as tools for TensorFlow Lite write them.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nnvk::test {

inline void append(std::vector<uint8_t>& to, uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i, number >>= 8) to.push_back(static_cast<uint8_t>(number));
}

inline void append(std::vector<uint8_t>& to, const std::string& text) { to.insert(to.end(), text.begin(), text.end()); }

inline std::string deflated(const std::string& text) {
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

// Appends an archive of two files: a.txt is stored, b.txt is deflated.
inline std::vector<uint8_t> with_archive(std::vector<uint8_t> file, const std::string& a, const std::string& b) {
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

}  // namespace nnvk::test
