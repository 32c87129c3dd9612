// Runs manifests through compile, check and emit, and distributes compile jobs over threads.
#include "tools/shader_packer/pack.h"

#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tools/shader_packer/check.h"
#include "tools/shader_packer/compile.h"
#include "tools/shader_packer/emit.h"
#include "tools/shader_packer/gathered.h"
#include "tools/shader_packer/manifest.h"
#include "tools/shader_packer/module_cache.h"
#include "tools/shader_packer/reflect.h"

namespace nnvk::shader_packer {
namespace {

// Calls work(i) for i in [0, count) on all cores. Returns the texts of exceptions.
template <class Work>
std::vector<std::string> parallel_for(size_t count, const Work& work) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::vector<std::string> errors;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        errors.emplace_back(error.what());
      }
    }
  };
  std::vector<std::thread> threads;
  const size_t wanted = std::min<size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  for (size_t i = 1; i < wanted; ++i) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
  return errors;
}

CompiledModule compile_cached(const CompileJob& job, const ModuleCache& cache, std::atomic<uint32_t>& compiled) {
  const std::string key = ModuleCache::key(job);
  if (auto module = cache.load(key)) return std::move(*module);
  CompiledModule module = compile(job);
  ++compiled;
  cache.store(key, module);
  return module;
}

void pack_kernel(PackedKernel& packed, const PackOptions& options, const ModuleCache& cache, std::atomic<uint32_t>& compiled) {
  const Kernel& kernel = *packed.kernel;
  const SourceMap sources = read_with_includes(kernel.source, {options.shaders, options.shaders / "include"});
  std::vector<std::string> errors;
  std::vector<Reflection> reflections;
  for (const Variant& variant : kernel.variants) {
    CompileJob job{kernel.source, &sources, kernel.defines};
    job.defines.insert(job.defines.end(), variant.kind->defines.begin(), variant.kind->defines.end());
    CompiledModule module;
    try {
      module = compile_cached(job, cache, compiled);
    } catch (const std::exception& error) {
      throw std::runtime_error("kernel " + kernel.name + " (" + std::string(variant.kind->name) + "): " + error.what());
    }
    reflections.push_back(reflect(module.named));
    const std::vector<std::string> mismatches = check_module(kernel, variant, reflections.back());
    errors.insert(errors.end(), mismatches.begin(), mismatches.end());
    packed.modules.push_back(std::move(module.optimized));
  }
  const std::vector<std::string> mismatches = check_variants(kernel, reflections);
  errors.insert(errors.end(), mismatches.begin(), mismatches.end());
  if (!errors.empty()) {
    std::string all;
    for (const std::string& error : errors) all += (all.empty() ? "" : "\n") + error;
    throw std::runtime_error(all);
  }
  packed.constant_types.resize(kernel.specialization.size());
  for (const Reflection& reflection : reflections) {
    for (const ReflectedConstant& constant : reflection.specialization) packed.constant_types[constant.id] = constant.type;
  }
  packed.reflection = std::move(reflections.back());
}

// Writes a file, but leaves it alone if it already holds `text`, so that nothing that depends on it is rebuilt.
void write_if_changed(const std::filesystem::path& path, const std::string& text) {
  {
    std::ifstream old(path, std::ios::binary);
    std::stringstream content;
    content << old.rdbuf();
    if (old && content.str() == text) return;
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.flush();
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
}

}  // namespace

PackSummary pack(const PackOptions& options) {
  std::vector<Family> families = read_manifests(options.shaders);
  if (families.empty()) throw std::runtime_error(options.shaders.string() + ": no manifest (*.json) here");
  add_gathered_forms(families);
  std::vector<PackedKernel> kernels;
  for (const Family& family : families) {
    for (const Kernel& kernel : family.kernels) kernels.push_back({.family = &family, .kernel = &kernel});
  }

  std::map<uint32_t, std::string> names;
  for (const PackedKernel& kernel : kernels) {
    const std::string& name = kernel.kernel->name;
    const auto [known, is_new] = names.emplace(kernel_id(name), name);
    if (!is_new) throw std::runtime_error("kernels " + name + " and " + known->second + " have the same id; rename one of them");
  }

  const CompilerSession session;
  const ModuleCache cache(options.cache);
  std::atomic<uint32_t> compiled = 0;
  const std::vector<std::string> errors =
      parallel_for(kernels.size(), [&](size_t i) { pack_kernel(kernels[i], options, cache, compiled); });
  if (!errors.empty()) {
    std::string all;
    for (const std::string& error : errors) all += error + "\n";
    throw std::runtime_error(all);
  }

  std::filesystem::create_directories(options.output);
  write_if_changed(options.output / "kernel_table.h", kernel_table_header());
  write_if_changed(options.output / "kernel_table.cpp", kernel_table_source(kernels));
  PackSummary summary;
  for (const Family& family : families) {
    write_if_changed(options.output / (family.name + "_kernels.h"), family_header(family.name, kernels));
    write_if_changed(options.output / ("spirv_" + family.name + ".cpp"), spirv_source(family.name, kernels));
  }
  summary.families = static_cast<uint32_t>(families.size());
  summary.kernels = static_cast<uint32_t>(kernels.size());
  summary.compiled = compiled;
  for (const PackedKernel& kernel : kernels) {
    summary.modules += static_cast<uint32_t>(kernel.modules.size());
    for (const std::vector<uint32_t>& module : kernel.modules) summary.bytes += module.size() * sizeof(uint32_t);
  }
  return summary;
}

}  // namespace nnvk::shader_packer
