// Answers as text and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tools/answers/answer.h"
#include "tools/answers/model_facts.h"

namespace nnvk::tools::answers {

// The size of the picture that the model saw, in which places are given. 0: no picture, and places are fractions.
struct PictureSize {
  uint32_t width = 0;
  uint32_t height = 0;
};

// Describes an answer in indented lines, each with a line break at its end.
std::string to_text(const Answer& answer, const PictureSize& size);

// The members are explained in tools/answers/README.md. Places are fractions of the picture; with a size also pixels.
nlohmann::json to_json(const Answer& answer, const ModelFacts& facts, const PictureSize& size);

}  // namespace nnvk::tools::answers
