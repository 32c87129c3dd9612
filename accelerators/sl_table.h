// The function table of a Support Library: loads and checks it, and turns result codes into errors.
#pragma once

#include <nnvk/support_library.h>

#include <memory>
#include <string>

#include "core/base/result.h"

namespace nnvk::accelerators {

inline constexpr int64_t kLowestTableLevel = 31;           // feature level 5
inline constexpr int64_t kAttributesTableLevel = 1000008;  // the first level whose table has the attributes of extensions

// A table that has all functions which nnvk calls. It points into the library, which stays loaded.
struct SlTable {
  const NnApiSLDriverImplFL5* functions = nullptr;              // never null
  const NnApiSLDriverImplFL8* attributes = nullptr;             // null below level 8
  decltype(&nnvk_explainDeclinedOperations) explain = nullptr;  // null if the library does not export it

  const NnApiSLDriverImplFL5* operator->() const { return functions; }
};

// Checks a table. UNAVAILABLE_DEVICE if the table's level is too low or a required function is missing (the error names it).
Result<SlTable> check_table(const NnApiSLDriverImpl* table);

// Loads `library` and gets its table. UNAVAILABLE_DEVICE with the dynamic loader's text. Never unloads the library, because
// drivers do not survive that.
Result<SlTable> load_table(const std::string& library);

// Returns the error of a call that returned `code`, or success. Unknown result codes become OP_FAILED.
Status status_of(int code, const char* function);
// Calls a function of a table and returns its Status; an error names the function.
#define NNVK_TABLE_CALL(table, function, ...) status_of((table)->function(__VA_ARGS__), #function)

// Frees an object by the function of the library that made it.
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

// Returns the object that `create(arguments..., &object)` makes. OP_FAILED if it reports success without an object.
template <class Object, class Create, class... Arguments>
Result<TableObject<Object>> make_object(const char* function, Create create, void (*free)(Object*), Arguments... arguments) {
  Object* object = nullptr;
  const int code = create(arguments..., &object);
  TableObject<Object> made(object, TableDeleter<Object>{free});  // owned first: status_of() may find no memory for its text
  NNVK_TRY(status_of(code, function));
  if (made == nullptr) return fail(Code::kOpFailed, std::string(function) + " succeeded but gave nothing");
  return made;
}
// Makes an object by the function `create` of a table; an error names the function. `free`: the table's function for its end.
#define NNVK_TABLE_OBJECT(table, create, free, ...) \
  make_object(#create, (table)->create, (table)->free __VA_OPT__(, ) __VA_ARGS__)

}  // namespace nnvk::accelerators
