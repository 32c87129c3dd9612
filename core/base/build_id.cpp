// Finds the linker's build id among the ELF notes of the loaded library or program.
#include "core/base/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace nnvk {
namespace {

struct Search {
  uintptr_t inside = 0;  // an address of the object
  std::span<const std::byte> found;
};

constexpr size_t aligned(size_t size) { return (size + 3) & ~size_t{3}; }

bool contains(const dl_phdr_info& object, uintptr_t address) {
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz) return true;
  }
  return false;
}

std::span<const std::byte> build_id_among(std::span<const std::byte> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const size_t name = aligned(note.n_namesz);
    const size_t size = name + aligned(note.n_descsz);
    if (size > notes.size()) return {};
    const bool is_gnu = note.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID) return notes.subspan(name, note.n_descsz);
    notes = notes.subspan(size);
  }
  return {};
}

int look_at(dl_phdr_info* object, size_t, void* search_pointer) {
  auto& search = *static_cast<Search*>(search_pointer);
  if (!contains(*object, search.inside)) return 0;
  for (size_t i = 0; i < object->dlpi_phnum && search.found.empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* const notes = reinterpret_cast<const std::byte*>(object->dlpi_addr + segment.p_vaddr);
    search.found = build_id_among({notes, segment.p_memsz});
  }
  return 1;
}

}  // namespace

std::span<const std::byte> build_id() {
  Search search;
  search.inside = reinterpret_cast<uintptr_t>(&build_id);
  ::dl_iterate_phdr(look_at, &search);
  return search.found;
}

}  // namespace nnvk
