// nnvk_camera as tools/demo --camera runs it: no copies, the pictures of another device, and videos that it cannot take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"
#include "tools/image/picture.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools {
namespace {

using test::Finished;
using test::TemporaryFolder;
using testing::HasSubstr;

#ifdef NNVK_CAMERA
constexpr const char* kCamera = NNVK_CAMERA;
#else
constexpr const char* kCamera = nullptr;  // built without FFmpeg's libraries
#endif

Finished camera(const std::string& network, const std::string& arguments) {
  return test::finished(test::command_to_run(kCamera) + "--model " NNVK_SOURCE_DIR "/models/" + network + " " + arguments +
                        " 2>&1");
}

#ifdef NNVK_FAKE_CAMERA
// With the video device of fake_camera.c, which has frames of `format` alone.
Finished with_fake_camera(const std::string& format, const std::string& arguments) {
  // The device's name must be that of a device file; any will do.
  return test::finished("LD_PRELOAD=" NNVK_FAKE_CAMERA " NNVK_FAKE_CAMERA=/dev/zero NNVK_FAKE_CAMERA_FORMAT=" + format + " " +
                        test::command_to_run(kCamera) + "--model " NNVK_SOURCE_DIR "/models/upscaler_quant.tflite " +
                        "--file /dev/zero " + arguments + " 2>&1");
}

TEST(Camera, FramesOfAVideoDeviceEnterTheNetworkUncopied) {
  const std::vector<std::pair<std::string, std::string>> formats = {{"YUYV", "YUYV"}, {"NV12", "NV12"}, {"YU12", "I420"}};
  for (const auto& [format, name] : formats) {
    for (const std::string device : {"cpu", "vulkan"}) {
      if (!find_device(device)) continue;
      const TemporaryFolder folder;
      const auto result = with_fake_camera(format, "--frames 24 --depth 3 --device " + device + " --folder " + folder.path());
      ASSERT_EQ(result.code, 0) << result.text;
      EXPECT_THAT(result.text, HasSubstr("/dev/zero: " + name + " of fake 96x54"));
      EXPECT_THAT(result.text, HasSubstr("0 bytes per frame between decoder and network; 24 frames in 6 shared memories"));
      EXPECT_THAT(result.text, HasSubstr("of 255 (2 frames)"));
      const auto shown = load_picture(folder.file("camera_side_by_side.png"), 3);
      ASSERT_TRUE(shown) << shown.error().message;
      EXPECT_EQ(shown->width, 2 * 2 * 96U) << "without a truth to compare with";
      // The bicubic picture, which FFmpeg converted, is nearly the network's, which nnvk converted.
      Picture bicubic{2 * 96U, 2 * 54U, 3, {}};
      Picture network = bicubic;
      for (uint32_t y = 0; y < shown->height; ++y) {
        const auto row = shown->values.begin() + static_cast<ptrdiff_t>(size_t{y} * shown->width * 3);
        bicubic.values.insert(bicubic.values.end(), row, row + 192 * 3);
        network.values.insert(network.values.end(), row + 192 * 3, row + 2 * 192 * 3);
      }
      EXPECT_GT(psnr(bicubic, network), 40) << name << " on " << device;
    }
  }
}

TEST(Camera, SaysWhatVideoDevicesItCannotTake) {
  const TemporaryFolder folder;
  const std::string arguments = "--device cpu --folder " + folder.path();
  EXPECT_THAT(with_fake_camera("MJPG", arguments).text, HasSubstr("neither NV12 nor I420 nor YUYV"));
  EXPECT_THAT(with_fake_camera("NONE", arguments).text, HasSubstr("does not capture videos"));
  EXPECT_THAT(with_fake_camera("YUYV", arguments + " --depth 20").text, HasSubstr("has 16 frames, 23 are needed"));
  EXPECT_THAT(with_fake_camera("YUYV", arguments + " --frames 0").text, HasSubstr("say how many --frames"));
  EXPECT_THAT(camera("upscaler_quant.tflite", "--file /dev/zero " + arguments).text, HasSubstr("is it a video device?"));
}
#endif

// Parameter: network, device.
class CameraDemo : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(CameraDemo, FramesEnterTheNetworkUncopiedAndComeOutAsOnTheCpu) {
  if (!kCamera) GTEST_SKIP() << "nnvk_camera is not built";
  const auto [network, device] = GetParam();
  if (const auto found = find_device(device); !found) GTEST_SKIP() << found.error().message;
  const TemporaryFolder folder;
  const auto result = camera(
      network, "--width 96 --height 54 --frames 14 --depth 5 --device " + std::string(device) + " --folder " + folder.path());
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr("5 executions in flight"));
  EXPECT_THAT(result.text, HasSubstr("0 bytes per frame between decoder and network; 14 frames in"));
  const std::string compared = std::string(device) == "cpu" ? "nnapi-reference" : "nnvk-cpu";
  EXPECT_THAT(result.text, HasSubstr("largest difference from " + compared));
  EXPECT_THAT(result.text, HasSubstr("of 255 (2 frames)"));
  const auto shown = load_picture(folder.file("camera_side_by_side.png"), 3);
  ASSERT_TRUE(shown) << shown.error().message;
  EXPECT_EQ(shown->width, 3 * 2 * 96U);
  EXPECT_EQ(shown->height, 2 * 54U);

  // The result must be a video that can be enlarged again. It needs another decoder, and has no original to compare with.
  const auto again =
      camera(network, "--frames 6 --device cpu --file " + folder.file("camera_upscaled.mkv") + " --folder " + folder.path());
  ASSERT_EQ(again.code, 0) << again.text;
  EXPECT_THAT(again.text, HasSubstr("ffv1 192x108"));
  EXPECT_THAT(again.text, HasSubstr("384x216"));
}

INSTANTIATE_TEST_SUITE_P(FloatAndEightBit, CameraDemo,
                         testing::Combine(testing::Values("upscaler_float.tflite", "upscaler_quant.tflite"),
                                          testing::Values("cpu", "vulkan")),
                         [](const auto& info) {
                           const std::string file = std::get<0>(info.param);
                           return file.substr(0, file.find('.')) + "_on_" + std::get<1>(info.param);
                         });

TEST(Camera, SaysWhatVideosItCannotTake) {
  if (!kCamera) GTEST_SKIP() << "nnvk_camera is not built";
  const TemporaryFolder folder;
  const auto grey =
      camera("upscaler_quant.tflite", "--device cpu --file " NNVK_SOURCE_DIR "/models/digit_7.png --folder " + folder.path());
  EXPECT_EQ(grey.code, 1);
  EXPECT_THAT(grey.text, HasSubstr("does not write into shared frames"));
  const auto missing = camera("upscaler_quant.tflite", "--device cpu --file /nonexistent.mkv --folder " + folder.path());
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.text, HasSubstr("opening /nonexistent.mkv failed"));
  const auto digits = camera("digits_float.tflite", "--device cpu --folder " + folder.path());
  EXPECT_EQ(digits.code, 1);
  EXPECT_THAT(digits.text, HasSubstr("depends on the size of pictures"));
}

}  // namespace
}  // namespace nnvk::tools
