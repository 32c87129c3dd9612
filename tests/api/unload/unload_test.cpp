// Loading the library, one inference, unloading: a hundred times in one process, without leaks and without staying loaded.
// The program does not link the library.
#include <android/NeuralNetworks.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "tests/api/unload/loaded_library.h"
#include "tests/support/child_process.h"
#include "tests/support/descriptors.h"
#include "tests/support/plugin_hosts.h"
#include "tests/support/process_usage.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

TEST(Unload, AHundredLoadsWithOneInferenceEachLeaveNothingBehind) {
  const size_t threads = running_threads();
  const uint32_t devices = device_count();
  [[maybe_unused]] size_t memory_after_warm_up = 0;
  size_t files_after_warm_up = 0;
  for (int i = 0; i < 100; ++i) {
    Library library;
    for (uint32_t device = 0; device < devices; ++device)
      ASSERT_TRUE(infer(library, device)) << "round " << i << " device " << device;
    library.close();
    ASSERT_FALSE(is_loaded()) << "the library stays in memory after dlclose";
    if (i == 19) {
      memory_after_warm_up = resident_kilobytes();
      files_after_warm_up = open_descriptors();
    }
  }
  EXPECT_LE(open_descriptors(), files_after_warm_up);
  EXPECT_EQ(running_threads(), threads);
// The sanitizer keeps freed memory, and finds leaks itself; an emulator keeps its translation of every load.
#if !defined(__SANITIZE_ADDRESS__) && !defined(NNVK_EMULATOR)
  EXPECT_LT(resident_kilobytes(), memory_after_warm_up + 16 * 1024);
#endif
}

TEST(Unload, WithoutAVulkanDriverThereAreTheCpuDevicesAlone) {
  // In a child process: the Vulkan loader reads these variables when it makes an instance.
  EXPECT_EQ(in_child([] {
              ::setenv("VK_DRIVER_FILES", "/nonexistent", 1);
              ::setenv("VK_ICD_FILENAMES", "/nonexistent", 1);
              std::exit(device_count() == 2 && infer(Library(), 0) && infer(Library(), 1) ? 0 : 1);
            }),
            0);
}

#ifdef NNVK_TEST_PLUGIN
TEST(Unload, PluginHostsEndWithTheLibrary) {
  // In a child process: the library reads the location of manifests at its first use.
  EXPECT_EQ(in_child([] {
              const TemporaryFolder folder;
              const std::string plugin = "unload-" + std::to_string(::getpid());
              write_manifest(folder.file("test.json"), plugin, NNVK_TEST_PLUGIN);
              ::setenv("NNVK_PLUGIN_FILES", folder.file("test.json").c_str(), 1);
              ::setenv("NNVK_DEVICES", (plugin + "/.*|nnvk-cpu").c_str(), 1);
              const size_t threads = running_threads();
              for (int i = 0; i < 3; ++i) {
                const size_t files = open_descriptors();
                Library library;
                uint32_t count = 0;
                if (NN(library, ANeuralNetworks_getDeviceCount)(&count) != 0 || count < 2) std::exit(1);
                if (plugin_hosts(plugin).size() != 1) std::exit(2);
                library.close();
                if (!plugin_hosts(plugin).empty()) std::exit(3);
                if (is_loaded() || running_threads() != threads) std::exit(4);
                if (i > 0 && open_descriptors() != files) std::exit(5);
              }
            }),
            0);
}
#endif

TEST(Unload, AChildOfForkExitsCleanly) {
  const Library library;
  ASSERT_TRUE(infer(library, 0));
  EXPECT_EQ(in_child([&] { std::exit(infer(library, 0) ? 0 : 1); }), 0);  // the CPU device works without its parent's threads
}

TEST(Unload, TheThreadThatWatchesSyncFencesEndsAndFencesStaySignalled) {
  const size_t threads = running_threads();
  const uint32_t devices = device_count();
  const size_t files = open_descriptors();
  for (uint32_t device = 0; device < devices; ++device) {
    Library library;
    int fence = -1;
    EXPECT_TRUE(infer(library, device, [&](const Library& nn, ANeuralNetworksExecution* execution) {
      Gated gated;
      const bool ok = gated.start(nn, execution) && gated.finish(nn);
      fence = gated.fence;
      return ok;
    }));
    library.close();
    EXPECT_FALSE(is_loaded());
    EXPECT_EQ(running_threads(), threads);
    if (device == 0) continue;  // the CPU device has no sync fences
    EXPECT_EQ(answer(fence) & (POLLIN | POLLERR), POLLIN);
    ::close(fence);
  }
  EXPECT_EQ(open_descriptors(), files);
}

TEST(Unload, AProcessExitsWhileAFencedExecutionWaitsAndItsSyncFenceFails) {
  const uint32_t devices = device_count();
  for (uint32_t device = 0; device < devices; ++device) {
    std::array<int, 2> channel{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      const Library library;
      infer(library, device, [&](const Library& nn, ANeuralNetworksExecution* execution) {
        Gated gated;
        if (!gated.start(nn, execution)) std::exit(1);
        send_descriptor(channel[1], device == 0 ? gated.gate[0] : gated.fence);
        std::exit(0);
        return false;
      });
      ::_exit(1);
    }
    const int fence = receive_descriptor(channel[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    if (device > 0) {
      EXPECT_NE(answer(fence) & POLLERR, 0);
    }
    for (const int fd : {fence, channel[0], channel[1]}) ::close(fd);
  }
}

TEST(Unload, ATracedProcessLoadsUnloadsAndForksAsAnyOther) {
  const std::string file = testing::TempDir() + "nnvk_unload_trace.json";
  EXPECT_EQ(in_child([&] {
              ::setenv("NNVK_TRACE", file.c_str(), 1);
              int failures = 0;
              for (int i = 0; i < 3; ++i) {
                const size_t files = open_descriptors();
                Library library;
                failures += infer(library, 0) ? 0 : 1;
                library.close();
                failures += is_loaded() ? 1 : 0;
                failures += open_descriptors() > files + 1 ? 1 : 0;     // drivers keep some memory
                failures += in_child([] { ::_exit(0); }) == 0 ? 0 : 1;  // handlers of the unloaded library would be run here
              }
              std::exit(failures);
            }),
            0);
  std::ifstream stream(file);
  const std::string trace((std::istreambuf_iterator<char>(stream)), {});
  std::remove(file.c_str());
  const std::string call = "\"[NN_LR_PE]ANeuralNetworksExecution_compute\"";
  size_t computations = 0;
  for (size_t at = 0; (at = trace.find(call, at)) != std::string::npos; ++at) ++computations;
  EXPECT_EQ(computations, 3U) << "each load goes on with the file";
  EXPECT_TRUE(trace.ends_with("}\n]\n"));
}

TEST(HardwareBuffers, NeedTheirLibraryAndNothingElseDoes) {
  const Library nn;
  alignas(16) const char bogus[64] = {};
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(NN(nn, ANeuralNetworksMemory_createFromAHardwareBuffer)(reinterpret_cast<const AHardwareBuffer*>(bogus), &memory),
            ANEURALNETWORKS_OP_FAILED);
  EXPECT_EQ(memory, nullptr);
  EXPECT_TRUE(infer(nn, 0));
  EXPECT_EQ(::dlopen("libnativewindow.so", RTLD_NOW | RTLD_NOLOAD), nullptr) << "loaded although nobody asked";
}

}  // namespace
}  // namespace nnvk::test
