// A window on the display. None exists if the program was built without GLFW or finds no display.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::game {

class Window {
 public:
  virtual ~Window() = default;

  // Returns the instance extensions that surfaces of this window need.
  virtual std::vector<const char*> instance_extensions() const = 0;
  virtual bool shows_images_of(VkInstance instance, VkPhysicalDevice device, uint32_t family) const = 0;
  // Makes a surface. The caller owns it, and must destroy it before the instance and the window.
  virtual tools::Result<VkSurfaceKHR> make_surface(VkInstance instance) const = 0;
  // Returns the size of the framebuffer in pixels. Width and height may be 0 while the window is minimised.
  virtual VkExtent2D size() const = 0;
  // Handles the user's input. Returns whether the user wants to close the window, by its frame or the Escape key.
  virtual bool is_closed() = 0;
};

// Opens a window; if that is impossible, the error gives the reason.
tools::Result<std::unique_ptr<Window>> open_window(VkExtent2D size, const std::string& title);

}  // namespace nnvk::game
