// A small detector as a .tflite file, which finds the same in every picture.
#pragma once

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/importers/tflite/model_file.h"
#include "tests/support/temporary_folder.h"
#include "tools/nnapi/files.h"

namespace nnvk::test {

// A detector whose picture adds nothing: two anchors, of which the second one holds class 1 (behind the background).
inline std::string write_detector(const TemporaryFolder& folder) {
  ModelFile file;
  const int picture = file.add({.shape = {1, 8, 8, 3}, .values = {}});
  const int mean = file.add({.shape = {1, 1, 1, 3}, .values = {}});
  const int axes = file.add({.shape = {2}, .values = {1, 2}, .type = format::TensorType_INT32, .constant = true});
  const int zeros = file.add({.shape = {1, 1, 1, 3}, .values = {0, 0, 0}, .constant = true});
  const int nothing = file.add({.shape = {1, 1, 1, 3}, .values = {}});
  const int row = file.add({.shape = {1, 1, 3}, .values = {}});
  const int row_shape = file.add({.shape = {3}, .values = {1, 1, 3}, .type = format::TensorType_INT32, .constant = true});
  const int fixed = file.add({.shape = {1, 2, 3}, .values = {0.9F, 0.1F, 0.1F, 0.1F, 0.2F, 0.75F}, .constant = true});
  const int scores = file.add({.shape = {1, 2, 3}, .values = {}});
  const int encodings = file.add({.shape = {1, 2, 4}, .values = std::vector<float>(8), .constant = true});
  const int anchors = file.add({.shape = {2, 4}, .values = {0.5F, 0.5F, 1, 1, 0.5F, 0.25F, 0.5F, 0.25F}, .constant = true});
  std::vector<int> outputs;
  for (int i = 0; i < 4; ++i) outputs.push_back(file.add({.shape = {}, .values = {}}));
  file.add_operator(format::BuiltinOperator_MEAN, {picture, axes}, {mean},
                    {format::BuiltinOptions_ReducerOptions, format::CreateReducerOptions(file.builder(), true).Union()});
  file.add_operator(format::BuiltinOperator_MUL, {mean, zeros}, {nothing},
                    {format::BuiltinOptions_MulOptions, format::CreateMulOptions(file.builder()).Union()});
  file.add_operator(format::BuiltinOperator_RESHAPE, {nothing, row_shape}, {row});
  file.add_operator(format::BuiltinOperator_ADD, {fixed, row}, {scores},
                    {format::BuiltinOptions_AddOptions, format::CreateAddOptions(file.builder()).Union()});
  flexbuffers::Builder options;
  options.Map([&] {
    options.Int("num_classes", 2);
    options.Int("max_detections", 3);
    options.Int("max_classes_per_detection", 1);
    options.Float("nms_score_threshold", 0.1F);
    options.Float("nms_iou_threshold", 0.6F);
    for (const char* scale : {"y_scale", "x_scale", "h_scale", "w_scale"}) options.Float(scale, 10);
  });
  options.Finish();
  file.add_custom_operator("TFLite_Detection_PostProcess", {encodings, scores, anchors}, outputs, options.GetBuffer());
  file.end_subgraph({picture}, outputs);
  EXPECT_TRUE(tools::write_file(folder.file("detector.tflite"), file.finish()));
  return folder.file("detector.tflite");
}

}  // namespace nnvk::test
