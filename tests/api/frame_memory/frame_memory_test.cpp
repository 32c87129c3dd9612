// Memories over frames in descriptors, as entry points make them: without libnativewindow.so, and with it.
#include "api/hardware_buffer_memory.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <iterator>

#include "core/runtime/picture_input.h"
#include "tests/support/frame_memory.h"
#include "tests/support/process_usage.h"

namespace nnvk::api {
namespace {

using test::frame_layout;
using test::FrameMemory;
using test::open_descriptors;
using ::testing::HasSubstr;

nnvk_FrameLayout p010() { return frame_layout(NNVK_FRAME_P010, 6, 4, {{0, 100, 16}, {1, 8, 32}}); }

// One test for both cases, because a library stays loaded.
TEST(FrameMemories, NeedTheLibraryAndFindItWhereItIsLoaded) {
  const FrameMemory luma(4096);
  const FrameMemory chroma(4096);
  const int fds[] = {luma.fd(), chroma.fd()};
  const auto nothing = make_frame_memory(p010(), fds);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Code::kOpFailed);
  EXPECT_THAT(nothing.error().message, HasSubstr("libnativewindow.so"));

  ASSERT_NE(::dlopen(NNVK_NATIVEWINDOW, RTLD_NOW), nullptr) << ::dlerror();
  const size_t descriptors = open_descriptors();
  {
    const auto memory = make_frame_memory(p010(), fds);
    ASSERT_TRUE(memory) << memory.error().text();
    ASSERT_NE((*memory)->picture(), nullptr);
    EXPECT_EQ((*memory)->picture()->format, PictureFormat::kYuv420Ten);
    EXPECT_EQ((*memory)->picture()->width, 6U);
    luma.bytes()[100] = 0x40;
    chroma.bytes()[9] = 0x80;
    const auto pixels = (*memory)->lock_picture();
    ASSERT_TRUE(pixels) << pixels.error().text();
    const PictureLayout& layout = (*pixels)->layout();
    EXPECT_EQ(layout.planes[0].row_stride, 16U);
    EXPECT_EQ(layout.planes[1].row_stride, 32U);
    EXPECT_EQ(layout.planes[2].pixel_stride, 4U);
    EXPECT_EQ((*pixels)->bytes()[layout.planes[0].offset], std::byte{0x40});
    EXPECT_EQ((*pixels)->bytes()[layout.planes[1].offset + 1], std::byte{0x80});
    ASSERT_NE((*pixels)->mapping(), nullptr);
    EXPECT_TRUE((*pixels)->mapping()->is_writable());
    EXPECT_FALSE((*pixels)->mapping()->dma_buf());
  }
  EXPECT_EQ(open_descriptors(), descriptors) << "the memory was the last to hold the buffer";

  nnvk_FrameLayout read_only = p010();
  read_only.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
  const auto memory = make_frame_memory(read_only, fds);
  ASSERT_TRUE(memory);
  EXPECT_FALSE((*(*memory)->lock_picture())->mapping()->is_writable());
}

TEST(FrameMemories, TellWhatIsWrongWithTheFrame) {
  ASSERT_NE(::dlopen(NNVK_NATIVEWINDOW, RTLD_NOW), nullptr);
  const FrameMemory memory(4096);
  const int fds[] = {memory.fd()};
  const auto refused = make_frame_memory(p010(), fds);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBadData);
  EXPECT_THAT(refused.error().message, HasSubstr("plane 1 of P010 has the descriptor index 1"));
  nnvk_FrameLayout tiled = p010();
  tiled.modifier = 1;
  const auto unknown = make_frame_memory(tiled, fds);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::kOpFailed);
  EXPECT_THAT(unknown.error().message, HasSubstr("only linear frames"));
}

}  // namespace
}  // namespace nnvk::api
