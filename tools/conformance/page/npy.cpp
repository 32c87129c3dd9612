// NumPy's format 1.0: a magic number, the length of the header, the header as a Python literal, the values.
#include "tools/conformance/page/npy.h"

#include <android/NeuralNetworks.h>
#include <fmt/format.h>

#include <bit>
#include <string>

#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

static_assert(std::endian::native == std::endian::little, "the type codes below say so");

const char* type_code(int32_t type) {
  switch (type) {
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      return "<f4";
    case ANEURALNETWORKS_FLOAT16:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
      return "<f2";
    case ANEURALNETWORKS_INT32:
    case ANEURALNETWORKS_TENSOR_INT32:
      return "<i4";
    case ANEURALNETWORKS_UINT32:
      return "<u4";
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
      return "<i2";
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
      return "<u2";
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
      return "|i1";
    default:
      return "|u1";
  }
}

}  // namespace

std::vector<uint8_t> npy_of(int32_t operand_type, std::span<const uint32_t> dimensions, std::span<const uint8_t> bytes) {
  constexpr size_t kAlignment = 64;  // of the values, which the header's length must give
  constexpr size_t kPrefix = 10;     // magic number, version, and the length of the header
  const size_t size = std::max<size_t>(element_size(operand_type), 1);
  const size_t count = bytes.size() / size;
  size_t elements = 1;
  std::string shape;
  for (const uint32_t dimension : dimensions) {
    elements *= dimension;
    shape += std::to_string(dimension) + ",";
  }
  if (elements != count) shape = std::to_string(count) + ",";
  auto header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type_code(operand_type), shape);
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';
  std::vector<uint8_t> file{
      0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<uint8_t>(header.size() & 0xff), static_cast<uint8_t>(header.size() >> 8)};
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count * size));
  return file;
}

}  // namespace nnvk::tools::conformance
