#include "tools/device_check/recording.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nnvk/vulkan_interop.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tools/device_check/latency.h"
#include "tools/device_check/layers.h"
#include "tools/nnapi/elapsed_time.h"
#include "tools/nnapi/session.h"
#include "tools/vulkan_device/recommended_device.h"

namespace nnvk::tools::device_check {
namespace {

using Clock = std::chrono::steady_clock;

Status check_vulkan(VkResult result, const char* call) {
  return result >= 0 ? Status() : Status(fail(fmt::format("{} returned {}", call, static_cast<int>(result))));
}

// The functions of Vulkan, found by name.
class Functions {
 public:
  static Result<Functions> load() {
    void* const library = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return fail("libvulkan.so.1 cannot be loaded");
    return Functions(reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr")));
  }
  PFN_vkGetInstanceProcAddr entry() const { return entry_; }
  void use(VkInstance instance) { instance_ = instance; }
  template <class Function>
  Function get(const char* name) const {
    return reinterpret_cast<Function>(entry_(instance_, name));
  }

 private:
  explicit Functions(PFN_vkGetInstanceProcAddr entry) : entry_(entry) {}
  PFN_vkGetInstanceProcAddr entry_;
  VkInstance instance_ = VK_NULL_HANDLE;
};
// Calls a function of Vulkan by its name.
#define NNVK_CALL(functions, name) (functions).get<PFN_##name>(#name)

// The application's device, imported into the library, with everything that was made on it.
struct Application {
  Functions vulkan;
  VkInstance instance = VK_NULL_HANDLE;
  RecommendedDevice made{};
  ANeuralNetworksDevice* imported = nullptr;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence done = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  std::vector<VkBuffer> buffers{};
  std::vector<VkDeviceMemory> memories{};

  explicit Application(const Functions& functions) : vulkan(functions) {}
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  Status make(size_t physical_index);
  Status make_commands();
};

constexpr uint32_t kApiVersion = VK_API_VERSION_1_2;

Status Application::make(size_t physical_index) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = kApiVersion;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  TOOLS_TRY(check_vulkan(NNVK_CALL(vulkan, vkCreateInstance)(&info, nullptr, &instance), "vkCreateInstance"));
  vulkan.use(instance);
  std::array<VkPhysicalDevice, 64> devices{};
  auto count = static_cast<uint32_t>(devices.size());
  TOOLS_TRY(check_vulkan(NNVK_CALL(vulkan, vkEnumeratePhysicalDevices)(instance, &count, devices.data()),
                         "vkEnumeratePhysicalDevices"));
  if (physical_index >= count) return fail("Vulkan's loader lists fewer devices than before");
  const VkPhysicalDevice physical = devices[physical_index];
  std::array<VkQueueFamilyProperties, 32> families{};
  count = static_cast<uint32_t>(families.size());
  NNVK_CALL(vulkan, vkGetPhysicalDeviceQueueFamilyProperties)(physical, &count, families.data());
  const auto computes = [](const VkQueueFamilyProperties& family) { return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; };
  const auto found = std::find_if(families.begin(), families.begin() + count, computes);
  const auto family = static_cast<uint32_t>(found - families.begin());
  if (family == count) return fail("no queue of the device computes");
  TOOLS_TRY(made.make({.functions = vulkan.entry(), .instance = instance, .physical_device = physical, .family = family}));
  NnvkVkDeviceDesc description = made.description(kApiVersion);
  description.recordFamilyCount = 1;
  description.recordFamilies = &family;
  TOOLS_TRY(check(nnvk_vkImportDevice(&description, &imported), "nnvk_vkImportDevice"));
  return make_commands();
}

Status Application::make_commands() {
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool_info.queueFamilyIndex = made.choice.family;
  TOOLS_TRY(check_vulkan(NNVK_CALL(vulkan, vkCreateCommandPool)(made.device, &pool_info, nullptr, &pool), "vkCreateCommandPool"));
  VkCommandBufferAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocation.commandPool = pool;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  TOOLS_TRY(
      check_vulkan(NNVK_CALL(vulkan, vkAllocateCommandBuffers)(made.device, &allocation, &commands), "vkAllocateCommandBuffers"));
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return check_vulkan(NNVK_CALL(vulkan, vkCreateFence)(made.device, &fence, nullptr, &done), "vkCreateFence");
}

Application::~Application() {
  if (imported != nullptr) nnvk_vkReleaseDevice(imported);
  const VkDevice device = made.device;
  if (device != VK_NULL_HANDLE) {
    for (const VkBuffer buffer : buffers) NNVK_CALL(vulkan, vkDestroyBuffer)(device, buffer, nullptr);
    for (const VkDeviceMemory memory : memories) NNVK_CALL(vulkan, vkFreeMemory)(device, memory, nullptr);
    NNVK_CALL(vulkan, vkDestroyFence)(device, done, nullptr);
    NNVK_CALL(vulkan, vkDestroyCommandPool)(device, pool, nullptr);
    NNVK_CALL(vulkan, vkDestroyDevice)(device, nullptr);
  }
  if (instance != VK_NULL_HANDLE) NNVK_CALL(vulkan, vkDestroyInstance)(instance, nullptr);
}

// A buffer of the application that the host sees, as a memory of the library.
struct Buffer {
  void* mapped = nullptr;
  MemoryHandle memory{};
};

Result<Buffer> make_buffer(Application& app, size_t size, uint32_t access) {
  VkBufferUsageFlags usage = 0;
  VkDeviceSize alignment = 0;
  TOOLS_TRY(check(nnvk_vkBufferNeeds(app.imported, &usage, &alignment), "nnvk_vkBufferNeeds"));
  Buffer made;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  const VkDevice device = app.made.device;
  TOOLS_TRY(
      check_vulkan(NNVK_CALL(app.vulkan, vkCreateBuffer)(device, &info, nullptr, &app.buffers.emplace_back()), "vkCreateBuffer"));
  const VkBuffer buffer = app.buffers.back();
  VkMemoryRequirements needs{};
  NNVK_CALL(app.vulkan, vkGetBufferMemoryRequirements)(device, buffer, &needs);
  VkPhysicalDeviceMemoryProperties memories{};
  NNVK_CALL(app.vulkan, vkGetPhysicalDeviceMemoryProperties)(app.made.choice.physical_device, &memories);
  constexpr VkMemoryPropertyFlags kOfHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < memories.memoryTypeCount &&
         ((needs.memoryTypeBits >> type & 1) == 0 || (memories.memoryTypes[type].propertyFlags & kOfHost) != kOfHost)) {
    ++type;
  }
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = type;
  TOOLS_TRY(check_vulkan(NNVK_CALL(app.vulkan, vkAllocateMemory)(device, &allocation, nullptr, &app.memories.emplace_back()),
                         "vkAllocateMemory"));
  const VkDeviceMemory bytes = app.memories.back();
  TOOLS_TRY(check_vulkan(NNVK_CALL(app.vulkan, vkBindBufferMemory)(device, buffer, bytes, 0), "vkBindBufferMemory"));
  TOOLS_TRY(check_vulkan(NNVK_CALL(app.vulkan, vkMapMemory)(device, bytes, 0, VK_WHOLE_SIZE, 0, &made.mapped), "vkMapMemory"));
  ANeuralNetworksMemory* memory = nullptr;
  TOOLS_TRY(check(nnvk_vkMemoryFromBuffer(app.imported, buffer, 0, size, usage, access, &memory), "nnvk_vkMemoryFromBuffer"));
  made.memory.reset(memory);
  return made;
}

struct FreeRecording {
  void operator()(NnvkVkRecording* recording) const { nnvk_vkFreeRecording(recording); }
};
using RecordingHandle = std::unique_ptr<NnvkVkRecording, FreeRecording>;

// Records and submits one frame, and waits for it. `record`: fills the command buffer.
template <class Record>
Status submit(Application& app, const Record& record) {
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  TOOLS_TRY(check_vulkan(NNVK_CALL(app.vulkan, vkBeginCommandBuffer)(app.commands, &begin), "vkBeginCommandBuffer"));
  TOOLS_TRY(record());
  TOOLS_TRY(check_vulkan(NNVK_CALL(app.vulkan, vkEndCommandBuffer)(app.commands), "vkEndCommandBuffer"));
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &app.commands;
  TOOLS_TRY(check_vulkan(NNVK_CALL(app.vulkan, vkQueueSubmit)(app.made.queue, 1, &info, app.done), "vkQueueSubmit"));
  TOOLS_TRY(check_vulkan(NNVK_CALL(app.vulkan, vkWaitForFences)(app.made.device, 1, &app.done, VK_TRUE, UINT64_MAX),
                         "vkWaitForFences"));
  return check_vulkan(NNVK_CALL(app.vulkan, vkResetFences)(app.made.device, 1, &app.done), "vkResetFences");
}

void fill(std::span<float> values, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  for (float& value : values) value = between(random);
}

bool equal(std::span<const float> values, std::span<const float> expected) {
  float largest = 0;
  for (const float value : expected) largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < values.size(); ++i) {
    if (!(std::fabs(values[i] - expected[i]) <= 1e-4F * largest)) return false;
  }
  return true;
}

// An input and the result of the reference device.
struct Expected {
  std::vector<float> input;
  std::vector<float> output;
};

Result<Expected> expected_for(const ModelBuilder& model, uint32_t seed) {
  TOOLS_ASSIGN(const auto reference, find_device("cpu"));
  TOOLS_ASSIGN(Session session, Session::compile(model, {&reference, 1}));
  Expected expected;
  expected.input.resize(session.input(0).size() / sizeof(float));
  fill(expected.input, seed);
  std::memcpy(session.input(0).data(), expected.input.data(), session.input(0).size());
  TOOLS_TRY(session.run());
  expected.output.resize(session.output(0).size() / sizeof(float));
  std::memcpy(expected.output.data(), session.output(0).data(), session.output(0).size());
  return expected;
}

}  // namespace

Result<Json> measure_recording(const DeviceEntry& device, size_t physical_index, double seconds) {
  const auto start = Clock::now();
  TOOLS_ASSIGN(const ModelBuilder model, layer_model(layers().front(), layer_types().front(), 1));
  std::vector<Expected> expected;
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    TOOLS_ASSIGN(expected.emplace_back(), expected_for(model, seed));
  }
  auto functions = Functions::load();
  if (!functions) return Json{{"not_possible", functions.error().message}};
  Application app(*functions);
  TOOLS_TRY(app.make(physical_index));
  const char* name = nullptr;
  TOOLS_TRY(check(ANeuralNetworksDevice_getName(app.imported, &name), "ANeuralNetworksDevice_getName"));
  if (!std::string_view(name).starts_with(device.name)) {
    return fail(fmt::format("Vulkan's loader lists {} in the place of {}", name, device.name));
  }
  const DeviceEntry imported{.handle = app.imported, .name = name, .version = {}};
  TOOLS_ASSIGN(const auto compilation, compile_for(model, {&imported, 1}, {}, {}));
  NnvkVkRecordInfo info{};
  info.structSize = sizeof info;
  TOOLS_TRY(check(nnvk_vkGetRecordInfo(compilation.get(), app.imported, &info), "nnvk_vkGetRecordInfo"));
  if (info.recordable == 0) return fail("the network cannot be recorded");
  const size_t input_bytes = expected[0].input.size() * sizeof(float);
  const size_t output_bytes = expected[0].output.size() * sizeof(float);
  TOOLS_ASSIGN(const Buffer input, make_buffer(app, input_bytes, NNVK_VK_ACCESS_READ));
  TOOLS_ASSIGN(const Buffer output, make_buffer(app, output_bytes, NNVK_VK_ACCESS_WRITE));
  RecordingHandle recording;
  {
    ANeuralNetworksExecution* made = nullptr;
    TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation.get(), &made), "ANeuralNetworksExecution_create"));
    const ExecutionHandle execution(made);
    TOOLS_TRY(check(ANeuralNetworksExecution_setInputFromMemory(made, 0, nullptr, input.memory.get(), 0, input_bytes),
                    "setInputFromMemory"));
    TOOLS_TRY(check(ANeuralNetworksExecution_setOutputFromMemory(made, 0, nullptr, output.memory.get(), 0, output_bytes),
                    "setOutputFromMemory"));
    NnvkVkRecording* created = nullptr;
    TOOLS_TRY(check(nnvk_vkCreateRecording(made, VK_NULL_HANDLE, 0, &created), "nnvk_vkCreateRecording"));
    recording.reset(created);
  }
  if (info.preparationPending != 0) {
    TOOLS_TRY(submit(app, [&] {
      return check(nnvk_vkRecordPreparation(compilation.get(), app.imported, app.commands), "nnvk_vkRecordPreparation");
    }));
    TOOLS_TRY(check(nnvk_vkPreparationDone(compilation.get(), app.imported), "nnvk_vkPreparationDone"));
  }
  std::vector<double> recorded;
  std::vector<double> frames;
  size_t wrong = 0;
  constexpr size_t kFewestFrames = 4;
  constexpr size_t kMostFrames = 10'000;
  while (frames.size() < kFewestFrames || (seconds_since(start) < seconds && frames.size() < kMostFrames)) {
    const Expected& frame = expected[frames.size() % expected.size()];
    std::memcpy(input.mapped, frame.input.data(), input_bytes);
    std::memset(output.mapped, 0xff, output_bytes);
    const auto begin = Clock::now();
    TOOLS_TRY(submit(app, [&] {
      const auto before = Clock::now();
      const int result =
          nnvk_vkRecord(recording.get(), app.commands, NNVK_VK_RECORD_INPUT_BARRIER | NNVK_VK_RECORD_OUTPUT_BARRIER);
      recorded.push_back(seconds_since(before));
      return check(result, "nnvk_vkRecord");
    }));
    frames.push_back(seconds_since(begin));
    TOOLS_TRY(check(nnvk_vkResetRecording(recording.get()), "nnvk_vkResetRecording"));
    if (!equal({static_cast<const float*>(output.mapped), frame.output.size()}, frame.output)) ++wrong;
  }
  const Json record = spread_of(recorded);
  const Json whole = spread_of(frames);
  return Json{{"frames", frames.size()},
              {"wrong", wrong},
              {"record_median_us", record["median_us"]},
              {"record_p99_us", record["p99_us"]},
              {"frame_median_us", whole["median_us"]},
              {"frame_p99_us", whole["p99_us"]}};
}

}  // namespace nnvk::tools::device_check
