// The message that carries a buffer. Both sides compute the layout of an allocated buffer from its description, so the message
// contains only layouts of frames in existing memory.
#include "nativewindow/transport.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/passed_descriptors.h"

namespace nnvk::nativewindow {
namespace {

struct Message {
  char magic[8];
  uint64_t version;  // of this message and of the layouts
  uint64_t id;
  uint64_t size;  // of the buffer
  AHardwareBuffer_Desc description;
  nnvk_FrameLayout frame;  // zeros: the buffer was allocated
};
static_assert(std::has_unique_object_representations_v<Message>, "padding would carry bytes of our stack");

constexpr char kMagic[8] = {'n', 'n', 'v', 'k', 'A', 'H', 'B', '\n'};
constexpr uint64_t kVersion = 2;

// Checks that this is an AF_UNIX socket: other kinds of sockets silently drop descriptors.
int check_socket(int socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return -errno;
  return domain == AF_UNIX ? 0 : -EINVAL;
}

// Receives a frame. The peer may neither ask for trust nor send superfluous data.
int receive_frame(const Message& message, std::vector<FileDescriptor> memories, std::shared_ptr<Buffer>& buffer) {
  const size_t count = memories.size();
  if (message.frame.size != sizeof(nnvk_FrameLayout) || message.frame.flags != 0 || count > kMostMemories) return -EINVAL;
  std::shared_ptr<Buffer> made;
  if (Buffer::wrap(message.frame, std::move(memories), message.id, made).code != 0) return -EINVAL;
  const bool is_as_told = made->memories().size() == count && made->layout().size == message.size &&
                          std::memcmp(&made->description(), &message.description, sizeof message.description) == 0 &&
                          std::memcmp(made->frame(), &message.frame, sizeof message.frame) == 0;
  if (!is_as_told) return -EINVAL;
  buffer = std::move(made);
  return 0;
}

}  // namespace

int send_buffer(int socket, const Buffer& buffer) {
  if (const int error = check_socket(socket); error != 0) return error;
  if (!buffer.may_be_sent()) return -EPERM;
  Message message{{}, kVersion, buffer.id(), buffer.layout().size, buffer.description(), {}};
  std::memcpy(message.magic, kMagic, sizeof kMagic);
  if (buffer.frame() != nullptr) message.frame = *buffer.frame();
  int fds[kMostMemories] = {};
  const size_t count = buffer.memories().size();
  for (size_t i = 0; i < count; ++i) fds[i] = buffer.memories()[i].get();
  DescriptorRoom<kMostMemories> room;
  iovec content{&message, sizeof message};
  msghdr header{};
  header.msg_iov = &content;
  header.msg_iovlen = 1;
  pass_descriptors(header, std::span(fds).first(count), room.bytes);
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return -errno;
  return sent == static_cast<ssize_t>(sizeof message) ? 0 : -EIO;
}

int receive_buffer(int socket, std::shared_ptr<Buffer>& buffer) {
  if (const int error = check_socket(socket); error != 0) return error;
  Message message{};
  std::vector<FileDescriptor> descriptors;
  descriptors.reserve(kMostPassedDescriptors);  // from here on nothing throws
  // Suffices for all descriptors of a message, so that none stays open unnoticed, and for credentials that the owner enabled.
  DescriptorRoom<kMostPassedDescriptors, 256> room;
  iovec content{&message, sizeof message};
  msghdr header{};
  header.msg_iov = &content;
  header.msg_iovlen = 1;
  header.msg_control = room.bytes.data();
  header.msg_controllen = room.bytes.size();
  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return -errno;
  take_descriptors(header, descriptors);
  if (received == 0 && descriptors.empty()) return -EPIPE;
  if (received != static_cast<ssize_t>(sizeof message) || (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return -EINVAL;
  if (std::memcmp(message.magic, kMagic, sizeof kMagic) != 0 || message.version != kVersion) return -EINVAL;
  if (message.frame.size != 0) return receive_frame(message, std::move(descriptors), buffer);
  constexpr nnvk_FrameLayout kNone{};
  Layout layout;
  if (std::memcmp(&message.frame, &kNone, sizeof kNone) != 0 || descriptors.size() != 1) return -EINVAL;
  if (layout_of(message.description, layout) != 0 || layout.size != message.size) return -EINVAL;
  return Buffer::adopt(message.description, message.id, std::move(descriptors.front()), buffer);
}

}  // namespace nnvk::nativewindow
