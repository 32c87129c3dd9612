// The program that the build runs to pack shaders: shader_packer --shaders DIR --output DIR [--cache DIR].
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>

#include "tools/shader_packer/pack.h"

int main(int argc, char** argv) {
  nnvk::shader_packer::PackOptions options;
  for (int i = 1; i < argc; i += 2) {
    const bool has_value = i + 1 < argc;
    if (has_value && std::strcmp(argv[i], "--shaders") == 0) {
      options.shaders = argv[i + 1];
    } else if (has_value && std::strcmp(argv[i], "--output") == 0) {
      options.output = argv[i + 1];
    } else if (has_value && std::strcmp(argv[i], "--cache") == 0) {
      options.cache = argv[i + 1];
    } else {
      std::fprintf(stderr, "shader_packer: do not understand %s\nusage: shader_packer --shaders DIR --output DIR [--cache DIR]\n",
                   argv[i]);
      return 2;
    }
  }
  if (options.shaders.empty() || options.output.empty()) {
    std::fprintf(stderr, "usage: shader_packer --shaders DIR --output DIR [--cache DIR]\n");
    return 2;
  }
  try {
    const auto start = std::chrono::steady_clock::now();
    const auto summary = nnvk::shader_packer::pack(options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("shader_packer: %u families, %u kernels, %u SPIR-V modules, %llu bytes (%u compiled, %.1f s)\n", summary.families,
                summary.kernels, summary.modules, static_cast<unsigned long long>(summary.bytes), summary.compiled,
                seconds.count());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "shader_packer: %s\n", error.what());
    return 1;
  }
}
