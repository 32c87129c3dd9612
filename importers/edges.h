// The bytes that cross the edge between a framework or program and NNAPI: in place where both have the same, converted where the
// source of the model says INT64 and NNAPI has INT32. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "importers/imported_model.h"

namespace nnvk::importers {

// Returns how many bytes the framework holds for a port with a known shape.
uint64_t framework_bytes(const Port& port);
// Returns the shape that the framework gives or expects for a port with a known shape.
std::vector<int64_t> framework_shape(const Port& port);

// Writes 64-bit values as 32-bit ones. `to` has as many elements. A value outside 32 bits is an error that names the value, its
// place and the port; the caller adds the remedy.
Status narrow(const Port& port, std::span<const int64_t> from, std::span<int32_t> to);
void widen(std::span<const int32_t> from, std::span<int64_t> to);
// Converts the bytes of a port, as NNAPI holds them, to the type that the framework has for the port.
std::vector<uint8_t> in_framework_type(std::span<const uint8_t> bytes, const Port& port);

}  // namespace nnvk::importers
