// The pages about the elements: every command of the guide runs, and every property is explained.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/integrations/gstreamer/pipeline.h"
#include "tests/support/detector_file.h"
#include "tests/tools/video/models.h"
#include "tools/nnapi/files.h"

namespace nnvk::test {
namespace {

std::string document(const std::string& name) {
  const auto text = tools::read_text_file(std::string(NNVK_SOURCE_DIR) + "/docs/" + name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

// Returns the lines of the blocks that begin with this word.
std::vector<std::string> commands_in(const std::string& page, const std::string& word) {
  std::vector<std::string> commands;
  std::istringstream lines(page);
  bool is_block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) is_block = !is_block;
    if (is_block && line.starts_with(word)) commands.push_back(line);
  }
  return commands;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// There is neither a camera nor a display here, and published networks are not part of the project.
std::string for_this_machine(std::string command) {
  replace(command, "v4l2src io-mode=dmabuf", "v4l2src");
  replace(command, "v4l2src", "videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48");
  replace(command, "num-buffers=50", "num-buffers=3");
  replace(command, "autovideosink", "fakesink");
  replace(command, "selfie_segmentation.tflite", "mask.tflite");
  replace(command, "ssd_mobilenet_v1.tflite", "detector.tflite");
  return command;
}

TEST(Guide, EveryCommandRuns) {
  const TemporaryFolder folder;
  write_brightness_mask(folder);
  write_detector(folder);
  ASSERT_TRUE(tools::save_picture(halves(30, 20), folder.file("beach.png")));
  std::filesystem::create_directory_symlink(std::string(NNVK_SOURCE_DIR) + "/models", folder.file("models"));
  const auto commands = commands_in(document("guide/gstreamer.md"), "gst-launch-1.0");
  EXPECT_GE(commands.size(), 7U);
  for (const auto& command : commands) {
    const std::string line = "cd " + folder.path() + " && GST_TRACERS= " + for_this_machine(command) + " 2>&1";
    FILE* pipe = popen(line.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string text;
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, count);
    EXPECT_EQ(pclose(pipe), 0) << line << "\n" << text;
  }
  const auto drawn = tools::load_picture(folder.file("seven.png"), 3);
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->width, 256U);
}

TEST(Guide, EveryPropertyIsExplained) {
  const std::string page = document("reference/gstreamer.md");
  for (const char* name : {"nnvkinfer", "nnvkoverlay", "nnvksegment", "nnvkupscale"}) {
    EXPECT_NE(page.find(name), std::string::npos);
    GstElement* made = gst_element_factory_make(name, nullptr);
    ASSERT_NE(made, nullptr) << name;
    gst_object_ref_sink(made);
    const ElementPointer element(made);
    guint count = 0;
    GParamSpec** properties = g_object_class_list_properties(G_OBJECT_GET_CLASS(element.get()), &count);
    const std::set<std::string> general = {"name", "parent"};
    for (guint i = 0; i < count; ++i) {
      const std::string property = properties[i]->name;
      if (general.contains(property)) continue;
      EXPECT_NE(page.find("`" + property + "`"), std::string::npos) << name << " " << property;
      EXPECT_GT(std::string(g_param_spec_get_blurb(properties[i])).size(), 10U) << name << " " << property;
    }
    g_free(properties);
  }
}

TEST(Guide, EveryCountIsExplained) {
  const std::string page = document("reference/gstreamer.md");
  Pipeline pipeline("videotestsrc num-buffers=1 ! nnvkinfer name=n device=cpu model=" + own_model("digits_quant.tflite") +
                    " ! fakesink");
  ASSERT_EQ(pipeline.play(), "");
  GstStructure* statistics = nullptr;
  g_object_get(pipeline.element("n").get(), "statistics", &statistics, nullptr);
  const std::unique_ptr<GstStructure, Unref> owner(statistics);
  EXPECT_GE(gst_structure_n_fields(statistics), 9);
  for (int i = 0; i < gst_structure_n_fields(statistics); ++i) {
    const std::string field = gst_structure_nth_field_name(statistics, static_cast<guint>(i));
    EXPECT_NE(page.find("`" + field + "`"), std::string::npos) << field;
  }
}

}  // namespace
}  // namespace nnvk::test
