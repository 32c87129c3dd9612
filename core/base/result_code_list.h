// The enumerators of Code and the names of NNAPI's result codes (ANEURALNETWORKS_*), in the order of their numbers. Tables of
// names in core and tools use the list.
#pragma once

#define NNVK_RESULT_CODES(X)                                     \
  X(kNoError, NO_ERROR)                                          \
  X(kOutOfMemory, OUT_OF_MEMORY)                                 \
  X(kIncomplete, INCOMPLETE)                                     \
  X(kUnexpectedNull, UNEXPECTED_NULL)                            \
  X(kBadData, BAD_DATA)                                          \
  X(kOpFailed, OP_FAILED)                                        \
  X(kBadState, BAD_STATE)                                        \
  X(kUnmappable, UNMAPPABLE)                                     \
  X(kOutputInsufficientSize, OUTPUT_INSUFFICIENT_SIZE)           \
  X(kUnavailableDevice, UNAVAILABLE_DEVICE)                      \
  X(kMissedDeadlineTransient, MISSED_DEADLINE_TRANSIENT)         \
  X(kMissedDeadlinePersistent, MISSED_DEADLINE_PERSISTENT)       \
  X(kResourceExhaustedTransient, RESOURCE_EXHAUSTED_TRANSIENT)   \
  X(kResourceExhaustedPersistent, RESOURCE_EXHAUSTED_PERSISTENT) \
  X(kDeadObject, DEAD_OBJECT)
