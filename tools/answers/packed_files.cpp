// Reads the central directory of a zip archive. Every number is checked: it may lie.
#include "tools/answers/packed_files.h"

#include <zlib.h>

#include <algorithm>

namespace nnvk::tools::answers {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr size_t kMostBytes = size_t{16} << 20;
constexpr uint32_t kEndSignature = 0x06054B50;
constexpr uint32_t kEntrySignature = 0x02014B50;
constexpr uint32_t kLocalSignature = 0x04034B50;
constexpr size_t kEndSize = 22;
constexpr size_t kEntrySize = 46;
constexpr size_t kLocalSize = 30;
constexpr size_t kMostComment = 65535;

uint32_t number16(Bytes file, size_t at) { return file[at] | static_cast<uint32_t>(file[at + 1]) << 8; }
uint32_t number32(Bytes file, size_t at) { return number16(file, at) | number16(file, at + 2) << 16; }
bool has_record(Bytes file, size_t at, size_t size, uint32_t signature) {
  return at <= file.size() && size <= file.size() - at && number32(file, at) == signature;
}

// Returns where the record at the end of the archive begins.
std::optional<size_t> find_end(Bytes file) {
  if (file.size() < kEndSize) return std::nullopt;
  const size_t last = file.size() - kEndSize;
  const size_t first = last > kMostComment ? last - kMostComment : 0;
  for (size_t at = last + 1; at-- > first;) {
    if (number32(file, at) == kEndSignature) return at;
  }
  return std::nullopt;
}

std::optional<std::string> inflated(Bytes packed, size_t size) {
  std::string text(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = const_cast<Bytef*>(packed.data());  // zlib's old interface; it does not write there
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int result = inflate(&stream, Z_FINISH);
  const bool is_whole = result == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return is_whole ? std::optional(text) : std::nullopt;
}

// Returns the contents of the file that an entry of the directory describes.
std::optional<std::string> contents(Bytes file, size_t entry) {
  const uint32_t method = number16(file, entry + 10);
  const uint32_t checksum = number32(file, entry + 16);
  const size_t packed_size = number32(file, entry + 20);
  const size_t size = number32(file, entry + 24);
  const size_t local = number32(file, entry + 42);
  if (size > kMostBytes || !has_record(file, local, kLocalSize, kLocalSignature)) return std::nullopt;
  const size_t data = local + kLocalSize + number16(file, local + 26) + number16(file, local + 28);
  if (data > file.size() || packed_size > file.size() - data) return std::nullopt;
  const Bytes packed = file.subspan(data, packed_size);
  std::optional<std::string> text;
  if (method == 0 && packed_size == size) text = std::string(packed.begin(), packed.end());
  if (method == Z_DEFLATED) text = inflated(packed, size);
  if (!text || crc32(0, reinterpret_cast<const Bytef*>(text->data()), static_cast<uInt>(size)) != checksum) return std::nullopt;
  return text;
}

}  // namespace

std::optional<std::string> packed_file(Bytes file, std::string_view name) {
  const auto end = find_end(file);
  if (!end) return std::nullopt;
  const uint32_t count = number16(file, *end + 10);
  size_t entry = number32(file, *end + 16);
  for (uint32_t i = 0; i < count; ++i) {
    if (!has_record(file, entry, kEntrySize, kEntrySignature)) return std::nullopt;
    const size_t name_size = number16(file, entry + 28);
    const size_t next = entry + kEntrySize + name_size + number16(file, entry + 30) + number16(file, entry + 32);
    if (next > file.size()) return std::nullopt;
    const Bytes found = file.subspan(entry + kEntrySize, name_size);
    if (std::ranges::equal(found, name, {}, {}, [](char c) { return static_cast<uint8_t>(c); })) return contents(file, entry);
    entry = next;
  }
  return std::nullopt;
}

}  // namespace nnvk::tools::answers
