// The part of one dispatch in a fold over long slices: an invocation folds the elements [begin, end) of its slice and stores a
// state for the next dispatch. These are the flags of `steps` in the parameters of such kernels.
#ifndef NNVK_SHADERS_SLICE_STEPS_H
#define NNVK_SHADERS_SLICE_STEPS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
NNVK_SHARED_CONST uint kStepFoldFirst = 1;  // the first of two folds: largest element, mean
NNVK_SHARED_CONST uint kStepFoldSecond =
    2;  // the second of two folds, which needs the result of the first: sum of exponentials or squares
NNVK_SHARED_CONST uint kStepStart = 4;   // there is no state yet
NNVK_SHARED_CONST uint kStepFinish = 8;  // turn the state into the result
NNVK_SHARED_END

#endif
