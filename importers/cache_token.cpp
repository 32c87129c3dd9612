#include "importers/cache_token.h"

#include <sys/types.h>

#include <sha2.h>

#include <span>
#include <string_view>
#include <type_traits>

namespace nnvk::importers {
namespace {

static_assert(std::tuple_size_v<CacheToken> == SHA256_DIGEST_LENGTH);

// Hashes the parts of a model. A length precedes every part, so that different lists of parts never give the same bytes.
class Hash {
 public:
  Hash() { ::SHA256Init(&context_); }

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(Number number) { update(&number, sizeof number); }
  template <class Element>
  void add(std::span<const Element> elements) {
    add(static_cast<uint64_t>(elements.size_bytes()));
    if (!elements.empty()) update(elements.data(), elements.size_bytes());
  }
  void add(const std::vector<uint32_t>& numbers) { add(std::span<const uint32_t>(numbers)); }
  void add(std::string_view text) { add(std::span<const char>(text)); }
  void add(const ModelBuilder& model) {
    add(model.operand_count());
    for (uint32_t i = 0; i < model.operand_count(); ++i) {
      const OperandInfo& info = model.operand(i);
      add(info.type);
      add(info.dimensions);
      add(info.scale);
      add(info.zero_point);
      add(model.value(i));
    }
    add(static_cast<uint64_t>(model.operations().size()));
    for (const tools::BuiltOperation& operation : model.operations()) {
      add(operation.code);
      add(operation.inputs);
      add(operation.outputs);
    }
    add(model.inputs());
    add(model.outputs());
  }

  CacheToken token() {
    CacheToken token{};
    ::SHA256Final(token.data(), &context_);
    return token;
  }

 private:
  void update(const void* data, size_t size) { ::SHA256Update(&context_, static_cast<const uint8_t*>(data), size); }

  SHA2_CTX context_;
};

}  // namespace

CacheToken cache_token(const ImportedModel& model, bool relaxed, std::span<const tools::DeviceEntry> devices, bool automatic) {
  Hash hash;
  hash.add(model.builder);
  for (const auto& body : model.bodies) hash.add(*body);
  hash.add(relaxed);
  hash.add(automatic);
  for (const tools::DeviceEntry& device : devices) {
    hash.add(std::string_view(device.name));
    hash.add(std::string_view(device.version));
  }
  return hash.token();
}

CacheToken text_token(std::span<const std::string> texts) {
  Hash hash;
  for (const std::string& text : texts) hash.add(std::string_view(text));
  return hash.token();
}

}  // namespace nnvk::importers
