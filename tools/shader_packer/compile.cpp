// glslang and SPIRV-Tools in process.
#include "tools/shader_packer/compile.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <fstream>
#include <regex>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <sstream>
#include <stdexcept>

#include "tools/shader_packer/cooperative_matrix.h"

namespace nnvk::shader_packer {
namespace {

// Serves the includes of one job from its source map.
class MapIncluder : public glslang::TShader::Includer {
 public:
  explicit MapIncluder(const SourceMap& sources) : sources_(sources) {}
  IncludeResult* includeLocal(const char* name, const char*, size_t) override {
    const auto found = sources_.find(name);
    if (found == sources_.end()) return nullptr;
    return new IncludeResult(name, found->second.data(), found->second.size(), nullptr);
  }
  IncludeResult* includeSystem(const char* name, const char* from, size_t depth) override {
    return includeLocal(name, from, depth);
  }
  void releaseInclude(IncludeResult* result) override { delete result; }

 private:
  const SourceMap& sources_;
};

std::string preamble(const std::vector<std::string>& defines) {
  std::string text = "#extension GL_GOOGLE_include_directive : require\n";
  for (const std::string& define : defines) {
    const size_t equals = define.find('=');
    text += "#define " + define.substr(0, equals);
    text += equals == std::string::npos ? " 1\n" : " " + define.substr(equals + 1) + "\n";
  }
  return text;
}

std::vector<uint32_t> optimize(const std::vector<uint32_t>& module, const std::string& where) {
  std::string messages;
  const spv_target_env environment = SPV_ENV_VULKAN_1_1;
  const auto collect = [&](spv_message_level_t level, const char*, const spv_position_t&, const char* message) {
    if (level <= SPV_MSG_ERROR) messages += std::string(message) + "\n";
  };
  spvtools::Optimizer optimizer(environment);
  optimizer.SetMessageConsumer(collect);
  optimizer.RegisterPerformancePasses();
  optimizer.RegisterPass(spvtools::CreateStripDebugInfoPass());
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // validated below
  std::vector<uint32_t> optimized;
  if (!optimizer.Run(module.data(), module.size(), &optimized, options))
    throw std::runtime_error(where + ": SPIR-V optimisation failed\n" + messages);
  spvtools::SpirvTools tools(environment);
  tools.SetMessageConsumer(collect);
  if (!tools.Validate(optimized)) throw std::runtime_error(where + ": the optimised SPIR-V is invalid\n" + messages);
  return optimized;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) throw std::runtime_error(path.string() + ": cannot be read");
  return text.str();
}

}  // namespace

SourceMap read_with_includes(const std::string& source, const std::vector<std::filesystem::path>& include_folders) {
  static const std::regex include_line(R"re(^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">])re");
  SourceMap sources;
  std::vector<std::pair<std::string, std::string>> open = {{source, "the manifest"}};
  while (!open.empty()) {
    const auto [name, included_by] = open.back();
    open.pop_back();
    if (sources.contains(name)) continue;
    std::string text;
    bool found = false;
    for (const auto& folder : include_folders) {
      if (!std::filesystem::is_regular_file(folder / name)) continue;
      text = read_file(folder / name);
      found = true;
      break;
    }
    // Headers shared with C++ include standard headers inside #ifdef __cplusplus; those have no extension and are never read
    // here.
    if (!found && name.find('.') == std::string::npos) continue;
    if (!found) throw std::runtime_error(name + ": no such file in shaders/ or shaders/include/ (named by " + included_by + ")");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (std::regex_search(line, match, include_line)) open.emplace_back(match[1].str(), name);
    }
    sources.emplace(name, std::move(text));
  }
  return sources;
}

CompilerSession::CompilerSession() { glslang::InitializeProcess(); }
CompilerSession::~CompilerSession() { glslang::FinalizeProcess(); }

CompiledModule compile(const CompileJob& job) {
  const std::string& text = job.sources->at(job.source);
  glslang::TShader shader(EShLangCompute);
  const char* strings[] = {text.data()};
  const int lengths[] = {static_cast<int>(text.size())};
  const char* names[] = {job.source.c_str()};
  shader.setStringsWithLengthsAndNames(strings, lengths, names, 1);
  const std::string head = preamble(job.defines);
  shader.setPreamble(head.c_str());
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 110);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  MapIncluder includer(*job.sources);
  const auto rules = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  if (!shader.parse(GetDefaultResources(), 450, false, rules, includer)) {
    throw std::runtime_error(job.source + ": does not compile\n" + shader.getInfoLog());
  }
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(rules)) throw std::runtime_error(job.source + ": does not link\n" + program.getInfoLog());
  CompiledModule module;
  glslang::SpvOptions options;
  options.disableOptimizer = true;  // optimised below, so that the result does not depend on how glslang was built
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), module.named, &options);
  module.optimized = optimize(module.named, job.source);
  if (has_nv_matrices(module.optimized)) module.optimized = to_khr_matrices(module.optimized);
  return module;
}

std::string compiler_version() {
  const glslang::Version version = glslang::GetVersion();
  std::ostringstream text;
  text << "packer 2, glslang " << version.major << '.' << version.minor << '.' << version.patch << ", "
       << spvSoftwareVersionDetailsString();
  return text.str();
}

}  // namespace nnvk::shader_packer
