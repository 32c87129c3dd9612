// Parameters of SVDF. Read by C++ and GLSL. Features (products of input and feature weights) are float32, [batches, filters]; the
// state is [batches, filters, memory], the newest entry last.
#ifndef NNVK_SHADERS_SVDF_PARAMS_H
#define NNVK_SHADERS_SVDF_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN

struct SvdfOutputParams {
  uint count;     // batches * units / 4, rounded up
  uint elements;  // batches * units
  uint units;
  uint rank;  // filters per unit
  uint memory;
  uint has_bias;
  uint begin;  // entries of a unit's memories that one dispatch adds up; the last dispatch ends with the last entry
  uint end;
  float lo;  // activation limits
  float hi;
};

struct SvdfStateParams {
  uint count;     // elements of the state / 4, rounded up
  uint elements;  // of the state
  uint memory;
};

NNVK_SHARED_END

#endif
