// The tests kill producers of frames in the middle of work: nothing hangs, and no resource of theirs remains.
#include <malloc.h>
#include <nnvk/diagnostics.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/api/frames.h"
#include "tests/support/process_usage.h"

namespace nnvk::test {
namespace {

size_t frame_mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("memfd:produced") != std::string::npos ? 1 : 0;
  return count;
}

// Waits up to 5 seconds until get() returns `wanted`, since other threads free things in the background.
template <class Get>
auto settled(const Get& get, decltype(get()) wanted) {
  for (int i = 0; i < 5000 && get() != wanted; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return get();
}

// A process that does not use this library. It sends frames in sealed memory until it is killed. Each comes with a descriptor
// that becomes readable when the frame is painted.
class Producer {
 public:
  static constexpr uint32_t kWidth = 64;
  static constexpr uint32_t kHeight = 48;
  static constexpr size_t kBytes = size_t{kWidth} * kHeight * 3 / 2;

  Producer() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_), 0);
    child_ = ::fork();
    if (child_ == 0) produce();
    ::close(ends_[1]);
  }
  ~Producer() {
    kill();
    ::close(ends_[0]);
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // False if no frame arrives.
  bool receive(int& frame, int& fence) const {
    char byte = 0;
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
    iovec content{&byte, 1};
    msghdr header{};
    header.msg_iov = &content;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    if (::recvmsg(ends_[0], &header, MSG_CMSG_CLOEXEC) != 1 || header.msg_controllen == 0) return false;
    std::memcpy(&frame, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof frame);
    std::memcpy(&fence, CMSG_DATA(CMSG_FIRSTHDR(&header)) + sizeof frame, sizeof fence);
    return true;
  }
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  // Calls only functions that are allowed after fork in a process with threads.
  [[noreturn]] void produce() const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(ends_[0]);
    for (uint8_t shade = 0;; shade = static_cast<uint8_t>(shade + 40)) {
      int fence[2];
      const int fds[2] = {::memfd_create("produced", MFD_CLOEXEC | MFD_ALLOW_SEALING), -1};
      if (::ftruncate(fds[0], kBytes) != 0 || ::fcntl(fds[0], F_ADD_SEALS, F_SEAL_SHRINK) != 0 ||
          ::pipe2(fence, O_CLOEXEC) != 0) {
        ::_exit(1);
      }
      const int sent[2] = {fds[0], fence[0]};
      char byte = 0;
      alignas(cmsghdr) char control[CMSG_SPACE(sizeof sent)] = {};
      iovec content{&byte, 1};
      msghdr header{};
      header.msg_iov = &content;
      header.msg_iovlen = 1;
      header.msg_control = control;
      header.msg_controllen = sizeof control;
      cmsghdr* const part = CMSG_FIRSTHDR(&header);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(sizeof sent);
      std::memcpy(CMSG_DATA(part), sent, sizeof sent);
      if (::sendmsg(ends_[1], &header, MSG_NOSIGNAL) != 1) ::_exit(1);
      ::close(fence[0]);
      void* const bytes = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
      std::memset(bytes, shade, kBytes);
      if (::write(fence[1], "x", 1) != 1) ::_exit(1);
      ::munmap(bytes, kBytes);
      ::close(fence[1]);
      ::close(fds[0]);
    }
  }

  int ends_[2] = {-1, -1};
  pid_t child_ = -1;
};

// Results of the executions over the frames of a producer that was killed.
struct Outcomes {
  int computed = 0;
  int failed = 0;
};

void run_until_killed(const CompilationPointer& compilation, int restart, Outcomes& outcomes) {
  constexpr size_t kBytes = size_t{16} * 16 * 4;
  Producer producer;
  std::vector<std::vector<float>> answers(4, std::vector<float>(kBytes / 4, -1.0F));
  std::vector<std::pair<ExecutionPointer, EventPointer>> flying;
  for (int i = 0; i < 4; ++i) {
    int frame = -1;
    int fence = -1;
    if (i == restart % 5) producer.kill();  // before the request for this frame, or never
    if (!producer.receive(frame, fence)) break;
    {
      const BufferPointer buffer =
          wrap(frame_layout(NNVK_FRAME_NV12, Producer::kWidth, Producer::kHeight,
                            {{0, 0, Producer::kWidth}, {0, Producer::kWidth * Producer::kHeight, Producer::kWidth}}, kRead),
               {frame});
      ASSERT_NE(buffer, nullptr);
      const MemoryPointer picture = memory_in(buffer);
      ExecutionPointer execution = make_execution(compilation, {{picture, 0, 0}}, {answers[static_cast<size_t>(i)]});
      const EventPointer painted = event_of_fence(fence);
      const ANeuralNetworksEvent* const dependency = painted.get();
      ANeuralNetworksEvent* event = nullptr;
      // nnapi-reference has no events: a dependency that has failed already is the call's error.
      const int started = ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), &dependency, 1, 0, &event);
      if (started == kOk) {
        flying.emplace_back(std::move(execution), EventPointer(event));
      } else {
        EXPECT_EQ(started, kFailed);
        ++outcomes.failed;
      }
    }
    ::close(frame);
    ::close(fence);
  }
  producer.kill();
  for (const auto& [execution, event] : flying) ++(wait(event) == kOk ? outcomes.computed : outcomes.failed);
}

TEST(FrameProducers, ThatAreKilledLeaveNothingBehind) {
  nnvk_muteFailedCalls(true);
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const ModelBuilder model = image_model(16, 16, 1);
    const CompilationPointer compilation = compiled_on(model.get(), device);
    Outcomes outcomes;
    for (int restart = 0; restart < 100; ++restart) run_until_killed(compilation, restart, outcomes);  // allocates one-time state
    ASSERT_EQ(settled(frame_mappings, 0), 0U);
    const size_t descriptors = open_descriptors();
    const size_t heap = ::mallinfo2().uordblks;
    for (int restart = 0; restart < 200; ++restart) {
      run_until_killed(compilation, restart, outcomes);
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(settled(frame_mappings, 0), 0U);
    EXPECT_EQ(settled(open_descriptors, descriptors), descriptors);
    const size_t after = ::mallinfo2().uordblks;
    // The validation layers keep records of destroyed objects.
    if (std::getenv("NNVK_VULKAN_VALIDATION") == nullptr) {
      EXPECT_LE(after, heap + 256 * 1024) << "200 restarts, from " << heap << " bytes";
    }
    RecordProperty(name_of(device) + "_growth", std::to_string(static_cast<int64_t>(after - heap)));
    EXPECT_GT(outcomes.computed, 100);
    RecordProperty(name_of(device) + "_failed", outcomes.failed);
  }
  nnvk_muteFailedCalls(false);
}

}  // namespace
}  // namespace nnvk::test
