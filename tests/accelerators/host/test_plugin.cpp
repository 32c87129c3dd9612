// A driver of one device and one operation, ADD of FLOAT32 tensors of equal shapes. Orders in its input (test_plugin.h) make it
// crash, hang, try what its sandbox forbids, or send rubbish on its host's socket. Copies of the library load slowly, or hang, if
// their file name says so.
#include "tests/accelerators/host/test_plugin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <nnvk/support_library.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "accelerators/host/host_process.h"
#include "accelerators/protocol/messages.h"
#include "accelerators/protocol/packet_socket.h"

struct ANeuralNetworksMemory {
  float* data = nullptr;
  size_t size = 0;
  int fd = -1;
};
struct ANeuralNetworksModel {
  size_t operations = 0;
};
struct ANeuralNetworksCompilation {};
struct ANeuralNetworksMemoryDesc {};
struct ANeuralNetworksExecution {
  struct Argument {
    ANeuralNetworksMemory* memory = nullptr;
    size_t offset = 0;
    size_t length = 0;
    float* data() const { return memory->data + offset / sizeof(float); }
  };
  std::array<Argument, 2> inputs;
  Argument output;
  bool claims_wrong_rank = false;
  bool claims_wrong_shape = false;
};
struct ANeuralNetworksDevice {};

namespace nnvk::test {
namespace {

using namespace accelerators;

// Runs the attacks, if this is the hostile plugin.
void reach(Stage stage) {
  if (attack != nullptr) attack(stage);
}

// 0, or the errno of a call that returned -1.
int errno_of(long result) { return result < 0 ? errno : 0; }

// Ignores files of /sys: in a new thread the C library opens some for a moment to count the processors.
int open_descriptors() {
  int count = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    struct statfs where {};
    if (::fstatfs(fd, &where) == 0 && where.f_type != SYSFS_MAGIC) ++count;
  }
  return count;
}

int connect_somewhere() {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

int map_code() {
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? errno : 0;
}

int make_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  return errno_of(child);
}

// Fills memory that is in no mapping.
int fill_memory() {
  const std::vector<char> piece(size_t{1} << 20, 'x');
  for (;;) {
    const int fd = ::memfd_create("fill", 0);
    if (fd < 0) return errno;
    for (int i = 0; i < 64; ++i) {
      if (::write(fd, piece.data(), piece.size()) < 0) return errno;
    }
  }
}

int fill_threads() {
  const auto wait = [](void*) -> void* {
    for (;;) ::pause();
  };
  pthread_attr_t small;
  ::pthread_attr_init(&small);
  ::pthread_attr_setstacksize(&small, size_t{64} << 10);
  int started = 0;
  for (pthread_t thread{}; started < 1000 && ::pthread_create(&thread, &small, wait, nullptr) == 0;) ++started;
  std::this_thread::sleep_for(std::chrono::seconds(2));  // long enough for the watch to notice
  return started;
}

void print_much() {
  const std::string line = "\x1b]0;title\x07" + std::string(1012, '.') + "\n";
  for (int i = 0; i < 8 * 1024; ++i) static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

std::atomic<int> executions = 0;  // begun so far

void send_to_client(int order) {
  // The tests' client numbers its requests from 1: sharing, compiling, executions.
  const auto id = static_cast<uint64_t>(2 + executions);
  const PacketSocket socket{FileDescriptor(kHostSocket), LongBodies::kInParts};
  const auto send = [&](std::span<const std::byte> body, std::span<const int> descriptors) {
    static_cast<void>(socket.send(body, descriptors, PacketSocket::Blocking::kYes));
  };
  ExecutionAnswer answer;
  answer.code = Code::kNoError;
  answer.outputs.resize(1);
  if (order == kSendRubbish) {
    const std::array<char, 100> junk{'j'};
    static_cast<void>(::send(kHostSocket, junk.data(), junk.size(), 0));
  }
  if (order == kSendTruncatedAnswer) {
    const auto message = encode_answer<ExecutionAnswer>(id, answer);
    send(std::span(message.body).first(message.body.size() - 3), {});
  }
  if (order == kSendWrongAnswer)
    send(encode_answer<std::vector<OperationSupport>>(id, std::vector<OperationSupport>(3, {true})).body, {});
  if (order == kSendHugeCounts) {
    auto message = encode_answer<ExecutionAnswer>(id, answer);
    std::memset(message.body.data() + 28, 0xFF, 4);  // after head, code, the answer's code and the length of its text
    send(message.body, {});
  }
  if (order == kSendUnaskedAnswer) send(encode_answer<ExecutionAnswer>(123'456'789, answer).body, {});
  if (order == kSendDescriptor) {
    const PacketSocket passing{FileDescriptor::duplicate(kHostSocket)};
    static_cast<void>(
        passing.send(encode_answer<ExecutionAnswer>(id, answer).body, std::array{STDERR_FILENO}, PacketSocket::Blocking::kYes));
  }
  for (;;) ::pause();  // never answers itself: the test observes how the client handles the message
}

// The answer to orders that have one.
float obey(int order, ANeuralNetworksExecution& execution) {
  switch (order) {
    case kCrash: {
      volatile uintptr_t nowhere = 16;
      *reinterpret_cast<volatile int*>(nowhere) = 1;
      return 0;
    }
    case kAbort:
      std::abort();
    case kExit:
      ::_exit(0);
    case kHang:
      for (;;) ::pause();
    case kSleep:
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      return 0;
    case kOpenFile:
      return static_cast<float>(errno_of(::open("/etc/passwd", O_RDONLY)));
    case kCreateFile:
      return static_cast<float>(errno_of(::open("/tmp/nnvk_test_plugin", O_WRONLY | O_CREAT, 0600)));
    case kConnect:
      return static_cast<float>(connect_somewhere());
    case kFork:
      return static_cast<float>(make_process());
    case kExecute:
      return static_cast<float>(errno_of(::execl("/bin/true", "true", nullptr)));
    case kKillParent:
      return static_cast<float>(errno_of(::kill(::getppid(), 0)));
    case kMapCode:
      return static_cast<float>(map_code());
    case kStartThread: {
      float answer = 1;
      std::thread([&answer] { answer = 0; }).join();
      return answer;
    }
    case kCountDescriptors:
      return static_cast<float>(open_descriptors());
    case kCountVariables: {
      int count = 0;
      while (::environ[count] != nullptr) ++count;
      return static_cast<float>(count);
    }
    case kAskCoreLimit: {
      rlimit limit{};
      ::getrlimit(RLIMIT_CORE, &limit);
      return static_cast<float>(limit.rlim_max);
    }
    case kAskDirectory: {
      struct stat here {};
      struct stat root {};
      return ::stat(".", &here) == 0 && ::stat("/", &root) == 0 && here.st_ino == root.st_ino ? 0.0F : 1.0F;
    }
    case kClaimWrongRank:
      execution.claims_wrong_rank = true;
      return 0;
    case kClaimWrongShape:
      execution.claims_wrong_shape = true;
      return 0;
    case kFillMemory:
      return static_cast<float>(fill_memory());
    case kFillThreads:
      return static_cast<float>(fill_threads());
    case kPrintMuch:
      print_much();
      return 0;
    case kShrinkMemory:
      return static_cast<float>(errno_of(::ftruncate(execution.output.memory->fd, 0)));
    default:
      send_to_client(order);
      return 0;
  }
}

int compute(ANeuralNetworksExecution* execution) {
  const float* const a = execution->inputs[0].data();
  const float* const b = execution->inputs[1].data();
  float* const sum = execution->output.data();
  const size_t count = execution->output.length / sizeof(float);
  for (size_t i = 0; i < count; ++i) sum[i] = a[i] + b[i];
  const auto order = static_cast<int>(a[0]);
  ++executions;
  reach(Stage::kExecute);
  if (order == kReportAttacks && report_attacks != nullptr) {
    report_attacks(sum + count);
    return ANEURALNETWORKS_NO_ERROR;
  }
  if (order < kCrash) return ANEURALNETWORKS_NO_ERROR;
  if (order == kReturnDeadObject) return ANEURALNETWORKS_DEAD_OBJECT;
  if (order == kReturnNoCode) return 12345;
  sum[0] = obey(order, *execution);
  return ANEURALNETWORKS_NO_ERROR;
}

int create_memory(size_t size, int protection, int fd, size_t offset, ANeuralNetworksMemory** memory) {
  void* const data = ::mmap(nullptr, size, protection, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return ANEURALNETWORKS_UNMAPPABLE;
  *memory = new ANeuralNetworksMemory{static_cast<float*>(data), size, ::dup(fd)};
  return ANEURALNETWORKS_NO_ERROR;
}

void free_memory(ANeuralNetworksMemory* memory) {
  if (memory == nullptr) return;
  ::munmap(memory->data, memory->size);
  ::close(memory->fd);
  delete memory;
}

int preference(const ANeuralNetworksCompilation*, uint32_t, uint32_t* value) {
  *value = 64;
  return ANEURALNETWORKS_NO_ERROR;
}

template <class Object>
int create(Object** object) {
  *object = new Object;
  return ANEURALNETWORKS_NO_ERROR;
}
template <class Object>
void destroy(Object* object) {
  delete object;
}

// Sleeps if this library is the copy kSlowToLoad; hangs if it is the kHangs... copy called `name`.
void dawdle_if_called(std::string_view name) {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&dawdle_if_called), &self) == 0) return;
  if (!std::string_view(self.dli_fname).ends_with(name)) return;
  if (name == kSlowToLoad) std::this_thread::sleep_for(kSlowness);
  while (name != kSlowToLoad) ::pause();
}

int succeed() { return ANEURALNETWORKS_NO_ERROR; }

ANeuralNetworksDevice the_device;

void fill_devices(NnApiSLDriverImplFL5& table) {
  table.ANeuralNetworks_getDeviceCount = [](uint32_t* count) {
    reach(Stage::kDevices);
    dawdle_if_called(kHangsInDevices);
    *count = 1;
    return 0;
  };
  table.ANeuralNetworks_getDevice = [](uint32_t, ANeuralNetworksDevice** device) {
    *device = &the_device;
    return 0;
  };
  table.ANeuralNetworksDevice_getName = [](const ANeuralNetworksDevice*, const char** name) {
    *name = "test-plugin";
    return 0;
  };
  table.ANeuralNetworksDevice_getVersion = [](const ANeuralNetworksDevice*, const char** version) {
    *version = "1";
    return 0;
  };
  table.ANeuralNetworksDevice_getType = [](const ANeuralNetworksDevice*, int32_t* type) {
    *type = ANEURALNETWORKS_DEVICE_ACCELERATOR;
    return 0;
  };
  table.ANeuralNetworksDevice_getFeatureLevel = [](const ANeuralNetworksDevice*, int64_t* level) {
    *level = 31;
    return 0;
  };
  table.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded = [](const ANeuralNetworksDevice*, uint32_t* models,
                                                                  uint32_t* data) {
    *models = *data = 0;
    return 0;
  };
  table.SL_ANeuralNetworksDevice_getPerformanceInfo = [](const ANeuralNetworksDevice*, int32_t,
                                                         SL_ANeuralNetworksPerformanceInfo* info) {
    *info = {0.5F, 0.5F};
    return 0;
  };
  table.SL_ANeuralNetworksDevice_getVendorExtensionCount = [](const ANeuralNetworksDevice*, uint32_t* count) {
    *count = 0;
    return 0;
  };
}

void fill_models(NnApiSLDriverImplFL5& table) {
  table.ANeuralNetworksModel_create = create<ANeuralNetworksModel>;
  table.ANeuralNetworksModel_free = destroy<ANeuralNetworksModel>;
  table.ANeuralNetworksModel_addOperation = [](ANeuralNetworksModel* model, ANeuralNetworksOperationType, uint32_t,
                                               const uint32_t*, uint32_t, const uint32_t*) {
    ++model->operations;
    return 0;
  };
  table.ANeuralNetworksModel_getSupportedOperationsForDevices =
      [](const ANeuralNetworksModel* model, const ANeuralNetworksDevice* const*, uint32_t, bool* supported) {
        reach(Stage::kSupported);
        dawdle_if_called(kHangsInSupport);
        for (size_t i = 0; i < model->operations; ++i) supported[i] = true;
        return 0;
      };
  table.ANeuralNetworksCompilation_createForDevices = [](ANeuralNetworksModel*, const ANeuralNetworksDevice* const*, uint32_t,
                                                         ANeuralNetworksCompilation** compilation) {
    reach(Stage::kCompile);
    return create(compilation);
  };
  table.ANeuralNetworksCompilation_finish = [](ANeuralNetworksCompilation*) {
    dawdle_if_called(kHangsInCompile);
    return 0;
  };
  table.ANeuralNetworksCompilation_free = destroy<ANeuralNetworksCompilation>;
  table.ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput = preference;
  table.ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput = preference;
  table.ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput = preference;
  table.ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput = preference;
}

void fill_executions(NnApiSLDriverImplFL5& table) {
  table.ANeuralNetworksExecution_create = [](ANeuralNetworksCompilation*, ANeuralNetworksExecution** execution) {
    return create(execution);
  };
  table.ANeuralNetworksExecution_free = destroy<ANeuralNetworksExecution>;
  table.ANeuralNetworksExecution_setInputFromMemory = [](ANeuralNetworksExecution* execution, int32_t index,
                                                         const ANeuralNetworksOperandType*, const ANeuralNetworksMemory* memory,
                                                         size_t offset, size_t length) {
    execution->inputs.at(static_cast<size_t>(index)) = {const_cast<ANeuralNetworksMemory*>(memory), offset, length};
    return 0;
  };
  table.ANeuralNetworksExecution_setOutputFromMemory = [](ANeuralNetworksExecution* execution, int32_t,
                                                          const ANeuralNetworksOperandType*, const ANeuralNetworksMemory* memory,
                                                          size_t offset, size_t length) {
    execution->output = {const_cast<ANeuralNetworksMemory*>(memory), offset, length};
    return 0;
  };
  table.ANeuralNetworksExecution_compute = compute;
  table.ANeuralNetworksExecution_getOutputOperandRank = [](ANeuralNetworksExecution* execution, int32_t, uint32_t* rank) {
    *rank = execution->claims_wrong_rank ? 100 : 1;
    return 0;
  };
  table.ANeuralNetworksExecution_getOutputOperandDimensions = [](ANeuralNetworksExecution* execution, int32_t,
                                                                 uint32_t* dimensions) {
    const auto count = static_cast<uint32_t>(execution->output.length / sizeof(float));
    for (uint32_t i = 0; i < (execution->claims_wrong_rank ? 100U : 1U); ++i) {
      dimensions[i] = execution->claims_wrong_shape ? count + 1 : count;
    }
    return 0;
  };
  table.ANeuralNetworksMemory_createFromFd = create_memory;
  table.ANeuralNetworksMemory_createFromDesc = [](const ANeuralNetworksMemoryDesc*, ANeuralNetworksMemory**) {
    return static_cast<int>(ANEURALNETWORKS_OP_FAILED);
  };
  table.ANeuralNetworksMemory_free = free_memory;
  table.ANeuralNetworksMemoryDesc_create = create<ANeuralNetworksMemoryDesc>;
  table.ANeuralNetworksMemoryDesc_free = destroy<ANeuralNetworksMemoryDesc>;
}

NnApiSLDriverImplFL5 make_table() {
  reach(Stage::kTable);
  dawdle_if_called(kSlowToLoad);
  dawdle_if_called(kHangsInLoad);
  NnApiSLDriverImplFL5 table{};
  // No pointer may be missing: functions without a meaning here just succeed. All pointers have one size and follow each other.
  auto* const slots = reinterpret_cast<int (**)()>(reinterpret_cast<std::byte*>(&table) + sizeof table.base);
  for (size_t i = 0; i < (sizeof table - sizeof table.base) / sizeof *slots; ++i) slots[i] = succeed;
  table.base.implFeatureLevel = 31;
  fill_devices(table);
  fill_models(table);
  fill_executions(table);
  return table;
}

}  // namespace
}  // namespace nnvk::test

extern "C" [[gnu::visibility("default")]] NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl() {
  static NnApiSLDriverImplFL5 table = nnvk::test::make_table();
  return &table.base;
}
