// Small networks for tests of videos.
#pragma once

#include <string>

#include "tests/support/temporary_folder.h"

namespace nnvk::test {

// Writes a network that takes bright pixels for the foreground: [1,8,8,3] to fractions [1,8,8,1].
std::string write_brightness_mask(const TemporaryFolder& folder);

}  // namespace nnvk::test
