// Parameters of topk.comp.
#ifndef NNVK_SHADERS_TOPK_PARAMS_H
#define NNVK_SHADERS_TOPK_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// A row is cut into spans; a sorted list holds the first min(k, span) positions of each. Lists are ordered by row and span, each
// with room for min(k, span) entries.
struct TopkParams {
  uint size;  // of a row
  uint k;
  uint rows;
  uint span;  // sorting: span of the lists that are made; merging: of those that are read
  uint ways;  // merging: this many neighbouring lists become one
};
NNVK_SHARED_END

#endif
