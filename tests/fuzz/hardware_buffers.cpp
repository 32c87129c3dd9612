// A peer that sends anything as a hardware buffer (nativewindow/transport.h): any bytes with any descriptors, over both kinds of
// sockets. The target then uses every part of an accepted buffer.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/passed_descriptors.h"
#include "nativewindow/transport.h"
#include "tests/fuzz/byte_source.h"

namespace nnvk::fuzz {
namespace {

using nativewindow::Buffer;

constexpr uint64_t kMostMemory = 1 << 20;  // of the buffers that the peer sends
constexpr size_t kSizeInMessage = 24;      // offset of the buffer's size in a message

// Kinds of descriptors that a peer may send; honest peers send the first.
enum class Kind : uint8_t { kSealed, kUnsealed, kSealedAgainstWriting, kReadOnly, kPipe, kDirectory, kPath, kCount };

FileDescriptor memory_of(uint64_t size, int seals) {
  FileDescriptor memory(::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  require(::ftruncate(memory.get(), static_cast<off_t>(size)) == 0, "a memory");
  require(seals == 0 || ::fcntl(memory.get(), F_ADD_SEALS, seals) == 0, "seals");
  return memory;
}

FileDescriptor descriptor(Kind kind, uint64_t size) {
  switch (kind) {
    case Kind::kUnsealed:
      return memory_of(size, 0);
    case Kind::kSealedAgainstWriting:
      return memory_of(size, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
    case Kind::kReadOnly: {
      const FileDescriptor memory = memory_of(size, F_SEAL_SHRINK | F_SEAL_GROW);
      return FileDescriptor(::open(("/proc/self/fd/" + std::to_string(memory.get())).c_str(), O_RDONLY | O_CLOEXEC));
    }
    case Kind::kPipe: {
      int ends[2];
      require(::pipe2(ends, O_CLOEXEC) == 0, "a pipe");
      ::close(ends[1]);
      return FileDescriptor(ends[0]);
    }
    case Kind::kDirectory:
      return FileDescriptor(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    case Kind::kPath:
      return FileDescriptor(::open("/", O_PATH | O_CLOEXEC));
    default:
      return memory_of(size, F_SEAL_SHRINK | F_SEAL_GROW);
  }
}

struct SocketPair {
  explicit SocketPair(int type) {
    int ends[2];
    require(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) == 0, "sockets");
    first = FileDescriptor(ends[0]);
    second = FileDescriptor(ends[1]);
  }
  FileDescriptor first;
  FileDescriptor second;
};

void send(int socket, std::span<const std::byte> bytes, std::span<const FileDescriptor> descriptors) {
  std::vector<int> passed;
  for (const FileDescriptor& descriptor : descriptors) passed.push_back(descriptor.get());
  DescriptorRoom<8> room;
  iovec content{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &content;
  header.msg_iovlen = 1;
  pass_descriptors(header, passed, room.bytes);
  require(::sendmsg(socket, &header, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()), "the message is sent");
}

// Does everything that a client may do with the buffer.
void look_at(Buffer& buffer) {
  std::byte* address = nullptr;
  if (buffer.map(address) != 0) return;
  const uint64_t size = buffer.layout().size;
  [[maybe_unused]] static volatile std::byte seen{};
  for (uint64_t at = 0; at < size; at += 4096) seen = address[at];
  if (size > 0) seen = address[size - 1];
  if (size > 0 && buffer.is_writable()) address[size - 1] = std::byte{1};
  const uint64_t usage =
      buffer.description().usage & (AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK);
  if (buffer.lock(usage, -1, nullptr, address) == 0) require(buffer.unlock() == 0, "a lock ends");
  for (const FileDescriptor& memory : buffer.memories()) {
    require(::ftruncate(memory.get(), 0) != 0, "no peer can make a buffer shorter");
  }
}

Input seed(const Buffer& buffer) {
  const SocketPair pair(SOCK_SEQPACKET);
  require(nativewindow::send_buffer(pair.first.get(), buffer) == 0, "a buffer is sent");
  Input bytes(4096);
  const ssize_t size = ::recv(pair.second.get(), bytes.data(), bytes.size(), 0);
  require(size > 0, "a message arrives");
  ByteSink sink;
  sink.byte(0);
  sink.byte(buffer.memories().size());
  for (size_t i = 0; i < buffer.memories().size(); ++i) {
    sink.byte(static_cast<size_t>(Kind::kSealed));
    sink.number(0);  // keeps the message's size
  }
  Input made = sink.take();
  made.insert(made.end(), bytes.begin(), bytes.begin() + size);
  return made;
}

Input frame_seed(uint32_t fourcc, uint32_t planes, size_t memories) {
  nnvk_FrameLayout frame{};
  frame.size = sizeof frame;
  frame.fourcc = fourcc;
  frame.width = 16;
  frame.height = 16;
  frame.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
  frame.planeCount = planes;
  std::vector<FileDescriptor> descriptors;
  for (size_t i = 0; i < memories; ++i) descriptors.push_back(memory_of(16384, F_SEAL_SHRINK | F_SEAL_GROW));
  for (uint32_t p = 0; p < planes; ++p) {
    frame.planes[p].fdIndex = static_cast<uint32_t>(p % memories);
    frame.planes[p].offset = memories == 1 ? p * 4096 : 0;
    frame.planes[p].rowPitch = 64;
  }
  std::shared_ptr<Buffer> buffer;
  const auto problem = Buffer::wrap(frame, std::move(descriptors), 1, buffer);
  require(problem.code == 0, problem.text.c_str());
  return seed(*buffer);
}

}  // namespace

void run(std::span<const std::byte> input) {
  ByteSource source(input);
  const bool is_stream = (source.byte() & 1) != 0;
  std::vector<std::pair<Kind, uint32_t>> wanted(source.below(5));
  size_t used = 2;
  for (auto& [kind, pages] : wanted) {
    kind = static_cast<Kind>(source.below(static_cast<uint32_t>(Kind::kCount)));
    pages = source.byte();
    used += 2;
  }
  const std::span<const std::byte> message = input.subspan(std::min(used, input.size()));
  uint64_t told = 0;
  if (message.size() >= kSizeInMessage + sizeof told) std::memcpy(&told, message.data() + kSizeInMessage, sizeof told);
  std::vector<FileDescriptor> descriptors;
  for (const auto& [kind, pages] : wanted) {
    descriptors.push_back(descriptor(kind, std::min(kMostMemory, pages == 0 ? told : uint64_t{pages} * 4096)));
  }
  const SocketPair pair(is_stream ? SOCK_STREAM : SOCK_SEQPACKET);
  if (!message.empty()) send(pair.first.get(), message, descriptors);
  ::shutdown(pair.first.get(), SHUT_WR);
  std::shared_ptr<Buffer> buffer;
  const int error = nativewindow::receive_buffer(pair.second.get(), buffer);
  require((error == 0) == (buffer != nullptr) && error <= 0, "a buffer or an error");
  if (buffer != nullptr) look_at(*buffer);
}

std::vector<Input> seeds() {
  const auto allocated = [](uint32_t format, uint32_t width, uint32_t height) {
    AHardwareBuffer_Desc description{};
    description.width = width;
    description.height = height;
    description.layers = 1;
    description.format = format;
    description.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
    std::shared_ptr<Buffer> buffer;
    require(Buffer::allocate(description, buffer) == 0, "a buffer");
    return seed(*buffer);
  };
  return {allocated(AHARDWAREBUFFER_FORMAT_BLOB, 64, 1),
          allocated(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 5, 3),
          allocated(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 16, 16),
          frame_seed(NNVK_FRAME_NV12, 2, 1),
          frame_seed(NNVK_FRAME_NV12, 2, 2),
          frame_seed(NNVK_FRAME_XRGB8888, 1, 1)};
}

}  // namespace nnvk::fuzz
