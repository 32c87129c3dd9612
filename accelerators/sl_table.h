// The function table of a Support Library: loaded, checked, and called so that codes become errors.
#pragma once

#include <nnvk/support_library.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/result.h"

namespace nnvk::accelerators {

inline constexpr int64_t kLowestTableLevel = 31;           // feature level 5
inline constexpr int64_t kAttributesTableLevel = 1000008;  // from here on the table has the attributes of extensions

// A table that has all functions that we call. Points into the library, which stays loaded.
struct SlTable {
  const NnApiSLDriverImplFL5* functions = nullptr;   // never null
  const NnApiSLDriverImplFL8* attributes = nullptr;  // null below level 8

  const NnApiSLDriverImplFL5* operator->() const { return functions; }
};

// UNAVAILABLE_DEVICE when the table's level is too low or a function that we need is missing; says which.
Result<SlTable> check_table(const NnApiSLDriverImpl* table);

// Loads `library` and asks it for its table. UNAVAILABLE_DEVICE with what the dynamic loader says. The library is never unloaded:
// drivers do not survive that.
Result<SlTable> load_table(const std::string& library);

// The error of a call that returned `code`, or none. Numbers that are no result code are OP_FAILED.
Status status_of(int code, const char* function);

// Frees an object of the table's library.
template <class Object>
struct TableDeleter {
  void (*free)(Object*) = nullptr;
  void operator()(Object* object) const { free(object); }
};
template <class Object>
using TableObject = std::unique_ptr<Object, TableDeleter<Object>>;

using TableModel = TableObject<ANeuralNetworksModel>;
using TableExecution = TableObject<ANeuralNetworksExecution>;
using TableMemory = TableObject<ANeuralNetworksMemory>;
using TableMemoryDesc = TableObject<ANeuralNetworksMemoryDesc>;

// What `create(arguments..., &object)` makes. OP_FAILED when it claims success and gives nothing.
template <class Object, class Create, class... Arguments>
Result<TableObject<Object>> make_object(const char* function, Create create, void (*free)(Object*), Arguments... arguments) {
  Object* object = nullptr;
  const int code = create(arguments..., &object);
  TableObject<Object> made(object, TableDeleter<Object>{free});  // first: a message may find no memory
  NNVK_TRY(status_of(code, function));
  if (made == nullptr) return fail(Code::kOpFailed, std::string(function) + " succeeded but gave nothing");
  return made;
}

}  // namespace nnvk::accelerators
