#include "accelerators/host/program/plugin_output.h"

namespace nnvk::accelerators {
namespace {

// Returns true for control characters of terminals: those of ASCII, and those of Latin-1, which have two bytes in UTF-8.
bool is_control(unsigned char previous, unsigned char byte) {
  if (byte == '\n' || byte == '\t') return false;
  return byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte >= 0x80 && byte < 0xA0);
}

}  // namespace

void PluginOutput::add(std::string_view text) {
  if (taken_ > kMostPluginOutput) return;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    pending_ += is_control(previous_, byte) ? '?' : c;
    previous_ = byte;
    if (++taken_ > kMostPluginOutput) {
      pending_ += "\n(the plugin has printed too much; the rest is left out)\n";
      return;
    }
  }
}

}  // namespace nnvk::accelerators
