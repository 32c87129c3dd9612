// Parameters of random_multinomial.comp.
#ifndef NNVK_SHADERS_RANDOM_MULTINOMIAL_PARAMS_H
#define NNVK_SHADERS_RANDOM_MULTINOMIAL_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct MultinomialParams {
  uint rows;
  uint classes;
  uint samples;  // per row
  uint begin;    // START, SUMS: the classes of every row that one dispatch covers
  uint end;
};
// The state of streams with random seeds: this many words of entropy, then the number of streams begun.
NNVK_SHARED_CONST uint kEntropyWords = 4;
NNVK_SHARED_END

#endif
