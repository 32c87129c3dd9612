// The names of NNAPI's result codes (ANEURALNETWORKS_*) in the order of their numbers. Tables of names in core and tools use it.
#pragma once

#define NNVK_RESULT_CODES(X)       \
  X(NO_ERROR)                      \
  X(OUT_OF_MEMORY)                 \
  X(INCOMPLETE)                    \
  X(UNEXPECTED_NULL)               \
  X(BAD_DATA)                      \
  X(OP_FAILED)                     \
  X(BAD_STATE)                     \
  X(UNMAPPABLE)                    \
  X(OUTPUT_INSUFFICIENT_SIZE)      \
  X(UNAVAILABLE_DEVICE)            \
  X(MISSED_DEADLINE_TRANSIENT)     \
  X(MISSED_DEADLINE_PERSISTENT)    \
  X(RESOURCE_EXHAUSTED_TRANSIENT)  \
  X(RESOURCE_EXHAUSTED_PERSISTENT) \
  X(DEAD_OBJECT)
