// The inputs of `nnvk run`: which files belong to which execution, and what the model gets of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/answers/model_facts.h"
#include "tools/command/loaded_model.h"

namespace nnvk::tools {

// The files of one execution: one for each input of the model, or for one input the pictures of its batch. None: random values.
using InputFiles = std::vector<std::string>;

// A picture that the model saw; empty if it saw raw or random values.
struct SeenPicture {
  std::string file;
  Picture picture;  // red, green and blue
};

// Divides files over executions. A model with one input gets one file after the other, or as many pictures at once as its batch
// takes. Fails if the number of files does not fit to the model's inputs.
Result<std::vector<InputFiles>> files_of_executions(std::span<const std::string> files, const importers::ImportedModel& model,
                                                    const answers::ModelFacts& facts);

// Fills the inputs and returns the pictures that went into the first one: as many as there are files for a batch, else one. If
// there are fewer pictures than a batch takes, the last one fills the rest.
Result<std::vector<SeenPicture>> fill_inputs(const InputFiles& files, const answers::ModelFacts& facts,
                                             std::span<const Normalisation> normalisations, LoadedModel& loaded);

// Describes what pixels become: "values from -1 to 1", "pixels as they are".
std::string to_text(std::span<const Normalisation> normalisations);

}  // namespace nnvk::tools
