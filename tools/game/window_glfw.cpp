// Windows of GLFW.
#include <fmt/format.h>

#include "tools/game/window.h"
// GLFW declares its Vulkan functions only if Vulkan's header was included before.
#include <GLFW/glfw3.h>

namespace nnvk::game {
namespace {

tools::Error error_of_glfw(const std::string& what) {
  const char* why = nullptr;
  glfwGetError(&why);
  return {fmt::format("{}: {}", what, why == nullptr ? "GLFW gives no reason" : why)};
}

class GlfwWindow final : public Window {
 public:
  explicit GlfwWindow(GLFWwindow* window) : window_(window) {}
  ~GlfwWindow() override {
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;

  std::vector<const char*> instance_extensions() const override {
    uint32_t count = 0;
    const char** const names = glfwGetRequiredInstanceExtensions(&count);
    return {names, names + count};
  }

  bool shows_images_of(VkInstance instance, VkPhysicalDevice device, uint32_t family) const override {
    return glfwGetPhysicalDevicePresentationSupport(instance, device, family) == GLFW_TRUE;
  }

  tools::Result<VkSurfaceKHR> make_surface(VkInstance instance) const override {
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    const VkResult made = glfwCreateWindowSurface(instance, window_, nullptr, &surface);
    if (made != VK_SUCCESS) {
      return tl::unexpected(
          error_of_glfw(fmt::format("glfwCreateWindowSurface failed with VkResult {}", static_cast<int>(made))));
    }
    return surface;
  }

  VkExtent2D size() const override {
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    return {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
  }

  bool is_closed() override {
    glfwPollEvents();
    return glfwWindowShouldClose(window_) == GLFW_TRUE || glfwGetKey(window_, GLFW_KEY_ESCAPE) == GLFW_PRESS;
  }

 private:
  GLFWwindow* const window_;
};

}  // namespace

tools::Result<std::unique_ptr<Window>> open_window(VkExtent2D size, const std::string& title) {
  if (glfwInit() != GLFW_TRUE) return tl::unexpected(error_of_glfw("there is no display"));
  GLFWwindow* window = nullptr;
  if (glfwVulkanSupported() == GLFW_TRUE) {
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    window = glfwCreateWindow(static_cast<int>(size.width), static_cast<int>(size.height), title.c_str(), nullptr, nullptr);
  }
  if (window == nullptr) {
    tools::Error error = error_of_glfw("Vulkan has no window here");
    glfwTerminate();
    return tl::unexpected(std::move(error));
  }
  return std::make_unique<GlfwWindow>(window);
}

}  // namespace nnvk::game
