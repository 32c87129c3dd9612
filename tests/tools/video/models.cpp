#include "tests/tools/video/models.h"

#include <gtest/gtest.h>

#include "tests/importers/tflite/model_file.h"
#include "tools/nnapi/files.h"

namespace nnvk::test {

std::string write_brightness_mask(const TemporaryFolder& folder) {
  ModelFile file;
  const int picture = file.add({.shape = {1, 8, 8, 3}, .values = {}});
  const int axes = file.add({.shape = {1}, .values = {3}, .type = format::TensorType_INT32, .constant = true});
  const int mean = file.add({.shape = {1, 8, 8, 1}, .values = {}});
  // Bright is more than 0.6, whether pixels become values from 0 to 1 or from -1 to 1.
  const int least = file.add({.shape = {1}, .values = {0.6F}, .constant = true});
  const int above = file.add({.shape = {1, 8, 8, 1}, .values = {}});
  const int steep = file.add({.shape = {1}, .values = {100}, .constant = true});
  const int logit = file.add({.shape = {1, 8, 8, 1}, .values = {}});
  const int fraction = file.add({.shape = {1, 8, 8, 1}, .values = {}});
  file.add_operator(format::BuiltinOperator_MEAN, {picture, axes}, {mean},
                    {format::BuiltinOptions_ReducerOptions, format::CreateReducerOptions(file.builder(), true).Union()});
  file.add_operator(format::BuiltinOperator_SUB, {mean, least}, {above},
                    {format::BuiltinOptions_SubOptions, format::CreateSubOptions(file.builder()).Union()});
  file.add_operator(format::BuiltinOperator_MUL, {above, steep}, {logit},
                    {format::BuiltinOptions_MulOptions, format::CreateMulOptions(file.builder()).Union()});
  file.add_operator(format::BuiltinOperator_LOGISTIC, {logit}, {fraction});
  file.end_subgraph({picture}, {fraction});
  EXPECT_TRUE(tools::write_file(folder.file("mask.tflite"), file.finish()));
  return folder.file("mask.tflite");
}

}  // namespace nnvk::test
