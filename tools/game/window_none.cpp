// Built if GLFW is missing.
#include "tools/game/window.h"

namespace nnvk::game {

tools::Result<std::unique_ptr<Window>> open_window(VkExtent2D /*size*/, const std::string& /*title*/) {
  return tools::fail("this program was built without GLFW (tools/setup --with-game, then build again)");
}

}  // namespace nnvk::game
