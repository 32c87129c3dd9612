// The functions that only a Support Library's table has (docs/nnapi/support_library.md), with the table's names and signatures.
#pragma once

#include "api/handles.h"

#pragma GCC visibility push(default)
#include <nnvk/support_library.h>
#pragma GCC visibility pop

namespace nnvk::api::support_library {

int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation* compilation, const int* modelCacheFds,
                                                    uint32_t numModelCacheFiles, const int* dataCacheFds,
                                                    uint32_t numDataCacheFiles, const uint8_t* token);

// Puts the queries about devices into the table.
void fill_queries(NnApiSLDriverImplFL5& table);

}  // namespace nnvk::api::support_library
