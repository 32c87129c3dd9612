// Frames over sockets: both ends see the same planes; and messages that hostile peers may not send.
#include <cerrno>
#include <cstring>
#include <functional>

#include "tests/nativewindow/frame_fixture.h"
#include "tests/nativewindow/recorded_message.h"

namespace nnvk::test {
namespace {

class FrameTransport : public NativeWindow {
 protected:
  // The receiver's result code for an altered message of a frame in two memories. Nothing of the frame may remain.
  int receive_altered(const std::function<void(RecordedMessage&)>& alter) const {
    const SocketPair honest(SOCK_SEQPACKET);
    const SocketPair hostile(SOCK_SEQPACKET);
    const FrameMemory luma(4096);
    const FrameMemory chroma(4096);
    RecordedMessage message;
    const nnvk_FrameLayout layout = frame_layout(NNVK_FRAME_NV12, 6, 4, {{0, 100, 16}, {1, 8, 16}});
    EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(wrap(layout, {luma.fd(), chroma.fd()}).get(), honest.ends[0]), 0);
    message.record(honest.ends[1]);
    EXPECT_EQ(message.descriptors.size(), 2U);
    alter(message);
    message.play(hostile.ends[0]);
    AHardwareBuffer* buffer = nullptr;
    const int result = AHardwareBuffer_recvHandleFromUnixSocket(hostile.ends[1], &buffer);
    EXPECT_EQ(buffer != nullptr, result == 0);
    AHardwareBuffer_release(buffer);
    return result;
  }
  // The frame's layout is the end of the message.
  static nnvk_FrameLayout* frame_in(RecordedMessage& message) {
    return reinterpret_cast<nnvk_FrameLayout*>(message.bytes.data() + message.bytes.size() - sizeof(nnvk_FrameLayout));
  }
};

TEST_F(FrameTransport, BothEndsSeeTheSamePlanes) {
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
    const SocketPair pair(type);
    const FrameMemory luma(70000);
    const FrameMemory chroma(4096);
    const BufferPointer sent =
        wrap(frame_layout(NNVK_FRAME_P010, 30, 21, {{0, 66000, 64}, {1, 12, 80}}, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN),
             {luma.fd(), chroma.fd()});
    luma.bytes()[66000] = 11;
    chroma.bytes()[14] = 12;
    ASSERT_EQ(AHardwareBuffer_sendHandleToUnixSocket(sent.get(), pair.ends[0]), 0);
    AHardwareBuffer* handle = nullptr;
    ASSERT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(pair.ends[1], &handle), 0);
    const BufferPointer received(handle);
    AHardwareBuffer_Desc there{};
    AHardwareBuffer_Desc here{};
    AHardwareBuffer_describe(sent.get(), &there);
    AHardwareBuffer_describe(received.get(), &here);
    EXPECT_EQ(std::memcmp(&here, &there, sizeof here), 0);
    nnvk_FrameLayout layouts[2]{};
    layouts[0].size = layouts[1].size = sizeof layouts[0];
    EXPECT_EQ(nnvk_HardwareBuffer_getLayout(sent.get(), &layouts[0]), 0);
    EXPECT_EQ(nnvk_HardwareBuffer_getLayout(received.get(), &layouts[1]), 0);
    EXPECT_EQ(std::memcmp(&layouts[0], &layouts[1], sizeof layouts[0]), 0);
    uint64_t ids[2] = {0, 1};
    EXPECT_EQ(AHardwareBuffer_getId(sent.get(), &ids[0]), 0);
    EXPECT_EQ(AHardwareBuffer_getId(received.get(), &ids[1]), 0);
    EXPECT_EQ(ids[0], ids[1]);
    const AHardwareBuffer_Planes planes = lock_planes(received);
    ASSERT_EQ(planes.planeCount, 3U);
    EXPECT_EQ(*static_cast<uint8_t*>(planes.planes[0].data), 11);
    EXPECT_EQ(planes.planes[0].rowStride, 64U);
    EXPECT_EQ(*static_cast<uint8_t*>(planes.planes[2].data), 12);
    EXPECT_EQ(planes.planes[2].rowStride, 80U);
  }
}

TEST_F(FrameTransport, GenuineMessagesPassTheHarnessOfHostileOnes) {
  EXPECT_EQ(receive_altered([](RecordedMessage&) {}), 0);
}

TEST_F(FrameTransport, PeersMayNotAskForTrust) {
  EXPECT_EQ(receive_altered([](RecordedMessage& message) { frame_in(message)->flags = NNVK_FRAME_SEAL; }), -EINVAL);
  EXPECT_EQ(receive_altered([](RecordedMessage& message) {
              frame_in(message)->flags = NNVK_FRAME_TRUST_SIZE;
              ::close(message.descriptors[0]);
              message.descriptors[0] = sealed_memfd(4096, 0);
            }),
            -EINVAL);
}

TEST_F(FrameTransport, MemoryThatCouldShrinkOrIsTooSmallIsRefused) {
  const auto with_memory = [&](size_t which, off_t size, int seals) {
    return receive_altered([&](RecordedMessage& message) {
      ::close(message.descriptors[which]);
      message.descriptors[which] = sealed_memfd(size, seals);
    });
  };
  for (const size_t which : {0, 1}) {
    EXPECT_EQ(with_memory(which, 4096, F_SEAL_SHRINK), 0);
    EXPECT_EQ(with_memory(which, 4096, 0), -EINVAL);
    EXPECT_EQ(with_memory(which, 29, F_SEAL_SHRINK), -EINVAL);
    EXPECT_EQ(with_memory(which, 4096, F_SEAL_SHRINK | F_SEAL_WRITE), -EINVAL) << "the usage has writing";
  }
}

TEST_F(FrameTransport, DescriptorsAreAsManyAsTheFrameHasMemories) {
  EXPECT_EQ(receive_altered([](RecordedMessage& message) { message.close_all(); }), -EINVAL);
  EXPECT_EQ(receive_altered([](RecordedMessage& message) {
              ::close(message.descriptors.back());
              message.descriptors.pop_back();
            }),
            -EINVAL);
  for (const int extra : {1, 3, 200}) {
    EXPECT_EQ(receive_altered([extra](RecordedMessage& message) {
                for (int i = 0; i < extra; ++i) message.descriptors.push_back(::dup(message.descriptors[0]));
              }),
              -EINVAL);
  }
}

TEST_F(FrameTransport, EveryDamagedByteIsNoticedOrHarmless) {
  size_t size = 1;
  size_t refused = 0;
  for (size_t at = 0; at < size; ++at) {
    const int result = receive_altered([&](RecordedMessage& message) {
      size = message.bytes.size();
      message.bytes[at] ^= std::byte{0xff};
    });
    EXPECT_TRUE(result == 0 || result == -EINVAL) << at;
    refused += result == 0 ? 0 : 1;
  }
  EXPECT_GE(refused, size - 16) << "the identity says nothing about the frame, and offsets may move inside the memory";
}

}  // namespace
}  // namespace nnvk::test
