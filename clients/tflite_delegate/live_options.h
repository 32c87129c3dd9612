// The options of a live operator as the importer's plain data.
#pragma once

#include <tensorflow/lite/c/common.h>

#include "clients/plugin_options.h"
#include "importers/tflite/options.h"

namespace nnvk::clients::tflite {

// Reads the options of a built-in operator; monostate if the operator has none, or none that the importer knows. Fields that
// older runtimes lack are read only for the operator versions that have them. An error if a number has no meaning in the public
// format.
Result<importers::tflite::OperatorOptions> live_options(const TfLiteNode& node, const TfLiteRegistration& registration);

}  // namespace nnvk::clients::tflite
