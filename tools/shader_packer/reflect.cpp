// SPIRV-Cross reflection into plain data.
#include "tools/shader_packer/reflect.h"

#include <algorithm>
#include <map>
#include <spirv_cross/spirv_cross.hpp>
#include <stdexcept>

#include "tools/shader_packer/cooperative_matrix.h"

namespace nnvk::shader_packer {
namespace {

// Returns the operand's name: tensor.glsl declares `x` as `x_texels`, or as blocks `x_words`, `x_words_2`, `x_words_4` on one
// binding.
std::string operand_name(std::string name) {
  for (const std::string suffix : {"_texels", "_words", "_words_2", "_words_4"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

std::string capability_name(spv::Capability capability) {
  static const std::map<spv::Capability, std::string> names = {
      {spv::CapabilityShader, "Shader"},
      {spv::CapabilitySampledBuffer, "SampledBuffer"},
      {spv::CapabilityImageBuffer, "ImageBuffer"},
      {spv::CapabilityFloat16, "Float16"},
      {spv::CapabilityInt8, "Int8"},
      {spv::CapabilityInt16, "Int16"},
      {spv::CapabilityInt64, "Int64"},
      {spv::CapabilityFloat64, "Float64"},
      {spv::CapabilityStorageBuffer8BitAccess, "StorageBuffer8BitAccess"},
      {spv::CapabilityStorageBuffer16BitAccess, "StorageBuffer16BitAccess"},
      {spv::CapabilityGroupNonUniform, "GroupNonUniform"},
      {spv::CapabilityGroupNonUniformShuffle, "GroupNonUniformShuffle"},
      {spv::CapabilityGroupNonUniformBallot, "GroupNonUniformBallot"},
      {spv::CapabilityGroupNonUniformArithmetic, "GroupNonUniformArithmetic"},
      // Newer than the headers of SPIRV-Cross.
      {static_cast<spv::Capability>(6018), "DotProductInput4x8BitPacked"},
      {static_cast<spv::Capability>(6019), "DotProduct"},
      {spv::CapabilityVulkanMemoryModelKHR, "VulkanMemoryModel"},
      {spv::CapabilityCooperativeMatrixNV, "CooperativeMatrix"},  // rewritten as KHR (cooperative_matrix.h)
  };
  const auto found = names.find(capability);
  return found != names.end() ? found->second : "capability " + std::to_string(static_cast<uint32_t>(capability));
}

void add_binding(Reflection& reflection, ReflectedBinding binding) {
  for (ReflectedBinding& known : reflection.bindings) {
    if (known.set != binding.set || known.binding != binding.binding) continue;
    // Aliases must be views of one operand. A different name or kind becomes a mismatch with the manifest.
    if (known.name != binding.name) known.name += "|" + binding.name;
    if (known.kind != binding.kind) known.kind = ResourceKind::kOther;
    return;
  }
  reflection.bindings.push_back(std::move(binding));
}

void read_bindings(const spirv_cross::Compiler& compiler, Reflection& reflection) {
  const spirv_cross::ShaderResources resources = compiler.get_shader_resources();
  const auto add = [&](const spirv_cross::Resource& resource, ResourceKind kind) {
    add_binding(reflection, {compiler.get_decoration(resource.id, spv::DecorationDescriptorSet),
                             compiler.get_decoration(resource.id, spv::DecorationBinding), kind, operand_name(resource.name)});
  };
  for (const auto& buffer : resources.storage_buffers) {
    const spirv_cross::Bitset flags = compiler.get_buffer_block_flags(buffer.id);
    const bool no_writes = flags.get(spv::DecorationNonWritable);
    const bool no_reads = flags.get(spv::DecorationNonReadable);
    add(buffer, no_writes ? ResourceKind::kReadOnlyWords : no_reads ? ResourceKind::kWriteOnlyWords : ResourceKind::kWords);
  }
  for (const auto& image : resources.sampled_images) {
    add(image, compiler.get_type(image.type_id).image.dim == spv::DimBuffer ? ResourceKind::kTexelBuffer : ResourceKind::kOther);
  }
  for (const auto* others : {&resources.uniform_buffers, &resources.storage_images, &resources.separate_images,
                             &resources.separate_samplers, &resources.acceleration_structures}) {
    for (const auto& other : *others) add(other, ResourceKind::kOther);
  }
  std::sort(reflection.bindings.begin(), reflection.bindings.end(),
            [](const auto& a, const auto& b) { return std::pair(a.set, a.binding) < std::pair(b.set, b.binding); });
}

void read_params(const spirv_cross::Compiler& compiler, Reflection& reflection) {
  const spirv_cross::ShaderResources resources = compiler.get_shader_resources();
  if (resources.push_constant_buffers.empty()) return;
  const spirv_cross::SPIRType& block = compiler.get_type(resources.push_constant_buffers[0].base_type_id);
  reflection.params_struct = compiler.get_name(block.self);
  const spirv_cross::SPIRType* type = &block;
  // NNVK_PARAMS wraps the shared struct in a block of one member.
  if (block.member_types.size() == 1 && compiler.get_type(block.member_types[0]).basetype == spirv_cross::SPIRType::Struct) {
    type = &compiler.get_type(block.member_types[0]);
    reflection.params_struct = compiler.get_name(type->self);
  }
  for (uint32_t i = 0; i < type->member_types.size(); ++i) {
    reflection.params_members.push_back({compiler.get_member_name(type->self, i), compiler.type_struct_member_offset(*type, i),
                                         static_cast<uint32_t>(compiler.get_declared_struct_member_size(*type, i))});
  }
  reflection.params_size = static_cast<uint32_t>(compiler.get_declared_struct_size(*type));
}

std::string type_text(const spirv_cross::SPIRType& type) {
  switch (type.basetype) {
    case spirv_cross::SPIRType::Boolean:
      return "bool";
    case spirv_cross::SPIRType::Int:
      return "int32_t";
    case spirv_cross::SPIRType::Float:
      return "float";
    default:
      return "uint32_t";
  }
}

}  // namespace

Reflection reflect(const std::vector<uint32_t>& module) {
  try {
    const spirv_cross::Compiler compiler(has_nv_matrices(module) ? without_matrix_types(module) : module);
    Reflection reflection;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      reflection.local_size[axis] = compiler.get_execution_mode_argument(spv::ExecutionModeLocalSize, axis);
    }
    read_bindings(compiler, reflection);
    read_params(compiler, reflection);
    for (const spirv_cross::SpecializationConstant& constant : compiler.get_specialization_constants()) {
      const spirv_cross::SPIRConstant& value = compiler.get_constant(constant.id);
      reflection.specialization.push_back({constant.constant_id, compiler.get_name(constant.id),
                                           type_text(compiler.get_type(value.constant_type)), value.scalar()});
    }
    std::sort(reflection.specialization.begin(), reflection.specialization.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    for (spv::Capability capability : compiler.get_declared_capabilities()) {
      reflection.capabilities.push_back(capability_name(capability));
    }
    return reflection;
  } catch (const spirv_cross::CompilerError& error) {
    throw std::runtime_error(std::string("SPIR-V reflection failed: ") + error.what());
  }
}

}  // namespace nnvk::shader_packer
