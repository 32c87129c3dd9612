// Reads stored tensors.
#include "importers/onnx/files/tensor_data.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include "importers/client_names.h"
#include "importers/onnx/constant.h"

namespace nnvk::importers::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "the format's raw elements are little-endian");

using Bytes = std::vector<std::byte>;

template <class T, class Source>
Bytes converted(const Source& source) {
  Bytes bytes(static_cast<size_t>(source.size()) * sizeof(T));
  for (int i = 0; i < source.size(); ++i) {
    const auto value = static_cast<T>(source.Get(i));
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

// Reads the elements in the typed fields; returns nothing for a type that has none.
std::optional<Bytes> typed_bytes(const format::Tensor& tensor, ElementType type) {
  switch (type) {
    case ElementType::kFloat:
      return converted<float>(tensor.float_data());
    case ElementType::kInt64:
      return converted<int64_t>(tensor.int64_data());
    case ElementType::kDouble:
      return converted<double>(tensor.double_data());
    case ElementType::kUint64:
      return converted<uint64_t>(tensor.uint64_data());
    case ElementType::kUint32:
      return converted<uint32_t>(tensor.uint64_data());
    case ElementType::kInt32:
      return converted<int32_t>(tensor.int32_data());
    case ElementType::kInt16:
      return converted<int16_t>(tensor.int32_data());
    case ElementType::kUint16:
    case ElementType::kFloat16:  // the field holds the bits
    case ElementType::kBfloat16:
      return converted<uint16_t>(tensor.int32_data());
    case ElementType::kInt8:
      return converted<int8_t>(tensor.int32_data());
    case ElementType::kUint8:
    case ElementType::kBool:
      return converted<uint8_t>(tensor.int32_data());
    default:
      return std::nullopt;
  }
}

Result<uint64_t> number(const std::string& text, const std::string& what) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return fail(what + " '" + text + "' is not a number");
  return value;
}

// Returns the path of external data, which must be below the model's folder, whatever links lead to it.
Result<std::filesystem::path> checked_path(const std::string& location, const std::filesystem::path& folder) {
  const std::filesystem::path relative(location);
  if (folder.empty()) return fail("its data lies in another file, '" + location + "', but the model does not come from a folder");
  if (location.empty() || relative.is_absolute())
    return fail("the path of its data, '" + location + "', is not relative to the model's folder");
  std::error_code error;
  const auto root = std::filesystem::canonical(folder, error);
  if (error) return fail("the model's folder cannot be found: " + error.message());
  const auto path = std::filesystem::canonical(root / relative, error);
  if (error) return fail("the file of its data, '" + location + "', cannot be found: " + error.message());
  const auto inside = path.lexically_relative(root);
  if (inside.empty() || *inside.begin() == "..")
    return fail("the file of its data, '" + location + "', lies outside the model's folder");
  if (!std::filesystem::is_regular_file(path, error)) return fail("the path of its data, '" + location + "', is not a file");
  return path;
}

Result<Bytes> external_bytes(const format::Tensor& tensor, const std::filesystem::path& folder, uint64_t expected) {
  std::string location;
  uint64_t offset = 0;
  uint64_t length = expected;
  for (const format::Pair& pair : tensor.external_data()) {
    if (pair.key() == "location") location = pair.value();
    if (pair.key() == "offset") {
      TOOLS_ASSIGN(offset, number(pair.value(), "the offset of its data,"));
    }
    if (pair.key() == "length") {
      TOOLS_ASSIGN(length, number(pair.value(), "the length of its data,"));
    }
  }
  TOOLS_ASSIGN(const auto path, checked_path(location, folder));
  if (length != expected) return fail(fmt::format("its data in '{}' has {} bytes instead of {}", location, length, expected));
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  if (error || offset > size || length > size - offset) {
    return fail(fmt::format("its data, {} bytes from {} on, exceeds the {} bytes of '{}'", length, offset, size, location));
  }
  std::ifstream stream(path, std::ios::binary);
  Bytes bytes(length);
  stream.seekg(static_cast<std::streamoff>(offset));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(length));
  if (!stream) return fail("its data in '" + location + "' cannot be read");
  return bytes;
}

}  // namespace

Result<Value> read_tensor(const format::Tensor& tensor, const std::filesystem::path& folder,
                          std::vector<std::shared_ptr<const void>>& storage) {
  Value value;
  value.name = tensor.name();
  value.type = static_cast<ElementType>(tensor.data_type());
  value.has_rank = true;
  value.constant = true;
  const auto where = [&] { return "tensor '" + value.name + "': "; };
  uint64_t elements = 1;
  for (const int64_t d : tensor.dims()) {
    if (d < 0) return fail(where() + fmt::format("dimension {} is negative", d));
    if (d != 0 && elements > std::numeric_limits<uint32_t>::max() / static_cast<uint64_t>(d))
      return fail(where() + "it may have 2^32 elements at most");
    elements *= static_cast<uint64_t>(d);
    value.dimensions.push_back(d);
  }
  if (tensor.has_segment()) return fail(where() + "the importer does not support tensors in segments");
  const unsigned bits = element_bits(value.type);
  if (value.type == ElementType::kString) return value;  // operators reject it
  if (bits == 0) return fail(where() + "the importer does not read the type " + type_name(value.type));
  const uint64_t expected = (elements * bits + 7) / 8;
  const auto keep = [&](Bytes bytes) {
    auto owner = std::make_shared<const Bytes>(std::move(bytes));
    value.data = *owner;
    storage.push_back(std::move(owner));
  };
  if (tensor.data_location() == 1) {
    auto bytes = external_bytes(tensor, folder, expected);
    if (!bytes) return fail(where() + bytes.error().message);
    keep(*std::move(bytes));
  } else if (tensor.has_raw_data()) {
    const auto* first = reinterpret_cast<const std::byte*>(tensor.raw_data().data());
    value.data = {first, tensor.raw_data().size()};
  } else {
    auto bytes = typed_bytes(tensor, value.type);
    if (!bytes) return fail(where() + "it has no data of type " + type_name(value.type));
    keep(*std::move(bytes));
  }
  if (value.data.size() != expected) {
    return fail(where() + fmt::format("it has {} bytes of data instead of {}; get the file again", value.data.size(), expected));
  }
  return value;
}

}  // namespace nnvk::importers::onnx
