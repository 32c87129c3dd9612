// Buffers between processes, and messages of hostile peers.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <vector>

#include "tests/nativewindow/buffer_fixture.h"
#include "tests/nativewindow/recorded_message.h"

namespace nnvk::test {
namespace {

BufferPointer receive(int socket) {
  AHardwareBuffer* buffer = nullptr;
  EXPECT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(socket, &buffer), 0);
  return BufferPointer(buffer);
}

class Transport : public NativeWindow {
 protected:
  static constexpr uint32_t kBytes = 5000;

  // The receiver's result code for an altered message. No buffer may stay mapped, and TearDown counts the descriptors.
  int receive_altered(int type, const std::function<void(RecordedMessage&)>& alter) {
    const SocketPair honest(type);
    const SocketPair hostile(type);
    RecordedMessage recording;
    EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(allocate(blob(kBytes)).get(), honest.ends[0]), 0);
    recording.record(honest.ends[1]);
    alter(recording);
    recording.play(hostile.ends[0]);
    AHardwareBuffer* buffer = nullptr;
    const int result = AHardwareBuffer_recvHandleFromUnixSocket(hostile.ends[1], &buffer);
    EXPECT_EQ(buffer != nullptr, result == 0);
    EXPECT_EQ(memfd_mappings(), mappings_) << "mapped before anybody locked it";
    AHardwareBuffer_release(buffer);
    return result;
  }
  int receive_with_descriptor(const std::function<int(off_t size)>& make) {
    return receive_altered(SOCK_SEQPACKET, [&make](RecordedMessage& recording) {
      const off_t size = ::lseek(recording.descriptors[0], 0, SEEK_END);
      recording.replace_descriptor(make(size));
    });
  }
};

TEST_F(Transport, BothEndsSeeTheSameBufferOverEveryKindOfSocket) {
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
    const SocketPair pair(type);
    const BufferPointer sent = allocate(image(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 65, 33));
    ASSERT_EQ(AHardwareBuffer_sendHandleToUnixSocket(sent.get(), pair.ends[0]), 0);
    const BufferPointer received = receive(pair.ends[1]);
    EXPECT_EQ(memfd_mappings(), mappings_);
    AHardwareBuffer_Desc there{};
    AHardwareBuffer_Desc here{};
    AHardwareBuffer_describe(sent.get(), &there);
    AHardwareBuffer_describe(received.get(), &here);
    EXPECT_EQ(std::memcmp(&here, &there, sizeof here), 0);
    uint64_t id_there = 0;
    uint64_t id_here = 1;
    EXPECT_EQ(AHardwareBuffer_getId(sent.get(), &id_there), 0);
    EXPECT_EQ(AHardwareBuffer_getId(received.get(), &id_here), 0);
    EXPECT_EQ(id_here, id_there);
    lock_all(sent)[123] = std::byte{42};
    EXPECT_EQ(lock_all(received)[123], std::byte{42});
  }
}

TEST_F(Transport, BuffersSentInOneGoAreReceivedOneByOne) {
  const SocketPair pair(SOCK_STREAM);
  for (const uint32_t bytes : {10U, 20U, 30U}) {
    ASSERT_EQ(AHardwareBuffer_sendHandleToUnixSocket(allocate(blob(bytes)).get(), pair.ends[0]), 0);
  }
  for (const uint32_t bytes : {10U, 20U, 30U}) {
    AHardwareBuffer_Desc desc{};
    AHardwareBuffer_describe(receive(pair.ends[1]).get(), &desc);
    EXPECT_EQ(desc.width, bytes);
  }
}

TEST_F(Transport, ABufferOutlivesTheProcessThatMadeIt) {
  SocketPair pair(SOCK_SEQPACKET);
  const pid_t child = ::fork();
  if (child == 0) {
    const BufferPointer buffer = allocate(blob(16));
    std::memcpy(lock_all(buffer), "from the child", 15);
    ::_exit(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), pair.ends[0]) == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const BufferPointer buffer = receive(pair.ends[1]);
  EXPECT_STREQ(reinterpret_cast<const char*>(lock_all(buffer)), "from the child");
}

TEST_F(Transport, ReceivedDescriptorsCloseOnExecAndCannotBeTruncated) {
  const SocketPair pair(SOCK_SEQPACKET);
  ASSERT_EQ(AHardwareBuffer_sendHandleToUnixSocket(allocate(blob(16)).get(), pair.ends[0]), 0);
  RecordedMessage recording;
  recording.record(pair.ends[1]);
  EXPECT_EQ(::ftruncate(recording.descriptors[0], 0), -1);
  EXPECT_EQ(::fcntl(recording.descriptors[0], F_ADD_SEALS, F_SEAL_WRITE), -1) << "nobody can take writing away";
  recording.play(pair.ends[0]);
  const BufferPointer buffer = receive(pair.ends[1]);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the iterator's own descriptor
    if (std::filesystem::read_symlink(entry.path(), gone).string().find("AHardwareBuffer") == std::string::npos) continue;
    EXPECT_EQ(::fcntl(std::stoi(entry.path().filename()), F_GETFD), FD_CLOEXEC);
  }
}

TEST_F(Transport, GenuineMessagesPassTheHarnessOfHostileOnes) {
  EXPECT_EQ(receive_altered(SOCK_SEQPACKET, [](RecordedMessage&) {}), 0);
  EXPECT_EQ(receive_altered(SOCK_STREAM, [](RecordedMessage&) {}), 0);
  EXPECT_EQ(receive_with_descriptor([](off_t size) { return sealed_memfd(size, F_SEAL_SHRINK | F_SEAL_GROW); }), 0);
}

TEST_F(Transport, MemoryThatCouldShrinkIsRefused) {
  for (const int seals : {0, F_SEAL_GROW, F_SEAL_SHRINK}) {
    EXPECT_EQ(receive_with_descriptor([seals](off_t size) { return sealed_memfd(size, seals); }), -EINVAL) << seals;
  }
}

TEST_F(Transport, MemoryThatCannotBeWrittenIsRefused) {
  constexpr int kWithoutWriting = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  EXPECT_EQ(receive_with_descriptor([](off_t size) { return sealed_memfd(size, kWithoutWriting); }), -EINVAL);
  EXPECT_EQ(receive_with_descriptor([](off_t size) {
              const int fd = sealed_memfd(size, F_SEAL_SHRINK | F_SEAL_GROW);
              const int read_only = ::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC);
              ::close(fd);
              return read_only;
            }),
            -EINVAL);
}

TEST_F(Transport, MemoryOfAnotherSizeIsRefused) {
  for (const off_t change : {-65536, -1, 1, 65536}) {
    EXPECT_EQ(receive_with_descriptor([change](off_t size) { return sealed_memfd(size + change, F_SEAL_SHRINK | F_SEAL_GROW); }),
              -EINVAL)
        << change;
  }
}

TEST_F(Transport, DescriptorsThatAreNoMemoryAreRefused) {
  EXPECT_EQ(receive_with_descriptor([](off_t) { return ::open("/dev/null", O_RDWR | O_CLOEXEC); }), -EINVAL);
  EXPECT_EQ(receive_with_descriptor([](off_t) { return ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }), -EINVAL);
  EXPECT_EQ(receive_with_descriptor([](off_t) { return ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC); }), -EINVAL);
  EXPECT_EQ(receive_with_descriptor([](off_t) { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }), -EINVAL);
}

TEST_F(Transport, MessagesWithoutOrWithSeveralDescriptorsAreRefused) {
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET}) {
    EXPECT_EQ(receive_altered(type, [](RecordedMessage& recording) { recording.close_all(); }), -EINVAL);
    for (const int extra : {1, 9, 252}) {
      EXPECT_EQ(receive_altered(type,
                                [extra](RecordedMessage& recording) {
                                  const int fd = recording.descriptors[0];
                                  for (int i = 0; i < extra; ++i) recording.descriptors.push_back(::dup(fd));
                                }),
                -EINVAL);
    }
  }
}

TEST_F(Transport, MessagesOfOtherLengthsAreRefused) {
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET}) {
    EXPECT_EQ(receive_altered(type, [](RecordedMessage& recording) { recording.bytes.resize(1); }), -EINVAL);
    EXPECT_EQ(receive_altered(type, [](RecordedMessage& recording) { recording.bytes.pop_back(); }), -EINVAL);
  }
  EXPECT_EQ(receive_altered(SOCK_SEQPACKET, [](RecordedMessage& recording) { recording.bytes.push_back(std::byte{0}); }),
            -EINVAL);
}

TEST_F(Transport, EveryDamagedByteIsNoticedOrHarmless) {
  size_t size = 1;
  size_t refused = 0;
  for (size_t at = 0; at < size; ++at) {
    const int result = receive_altered(SOCK_SEQPACKET, [&](RecordedMessage& recording) {
      size = recording.bytes.size();
      recording.bytes[at] ^= std::byte{0xff};
    });
    EXPECT_TRUE(result == 0 || result == -EINVAL) << at;
    refused += result == 0 ? 0 : 1;
  }
  EXPECT_GE(refused, size / 2);
}

TEST_F(Transport, DescriptionsOfAnotherSizeThanTheMemoryAreRefused) {
  EXPECT_EQ(
      receive_altered(SOCK_SEQPACKET,
                      [](RecordedMessage& recording) {  // the description of a larger buffer over the memory of a smaller one
                        const SocketPair pair(SOCK_SEQPACKET);
                        RecordedMessage larger;
                        const BufferPointer buffer = allocate(blob(100 * kBytes));
                        ASSERT_EQ(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), pair.ends[0]), 0);
                        larger.record(pair.ends[1]);
                        recording.bytes = larger.bytes;
                      }),
      -EINVAL);
}

TEST_F(Transport, ClosedAndWrongSocketsHaveTheirErrors) {
  const BufferPointer buffer = allocate(blob(16));
  AHardwareBuffer* received = nullptr;
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET}) {
    SocketPair pair(type);
    pair.close_end(1);
    EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), pair.ends[0]), -EPIPE);
    EXPECT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(pair.ends[0], &received), -EPIPE);
  }
  const SocketPair idle(SOCK_STREAM | SOCK_NONBLOCK);
  EXPECT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(idle.ends[0], &received), -EAGAIN);
  EXPECT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(idle.ends[0], nullptr), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(-1, &received), -EBADF);
  EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), -1), -EBADF);
  const int file = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), file), -ENOTSOCK);
  ::close(file);
  const int internet = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (internet >= 0) {
    EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), internet), -EINVAL);
    EXPECT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(internet, &received), -EINVAL);
    ::close(internet);
  }
  EXPECT_EQ(received, nullptr);
}

}  // namespace
}  // namespace nnvk::test
