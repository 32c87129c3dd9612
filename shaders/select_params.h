// Parameters of select.comp.
#ifndef NNVK_SHADERS_SELECT_PARAMS_H
#define NNVK_SHADERS_SELECT_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct SelectParams {
  uint quads;  // of the output
};
NNVK_SHARED_END

#endif
