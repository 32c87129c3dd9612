// Cooperative matrices in SPIR-V. Shaders use GL_NV_cooperative_matrix, which Debian 12's glslang, optimizer and validator know.
// Several vendors' drivers support its successor VK_KHR_cooperative_matrix, which these tools do not know. Both express the same
// by different numbers, so to_khr_matrices() rewrites a finished module.
#pragma once

#include <cstdint>
#include <vector>

namespace nnvk::shader_packer {

// Returns whether the module declares the capability CooperativeMatrixNV.
bool has_nv_matrices(const std::vector<uint32_t>& module);

// The module with SPV_KHR_cooperative_matrix in place of SPV_NV_cooperative_matrix. Only the KHR extension has these:
// - A use (left side, right side, accumulator) of every matrix type, found by the products that use it. Rows, columns and
//   depth must therefore be different constants, else left and right sides have one type.
// - Layouts as constants instead of booleans.
// - Which sides of an integer product are signed: all whose types are.
// Throws std::runtime_error if a type has two uses or none.
std::vector<uint32_t> to_khr_matrices(const std::vector<uint32_t>& module);

// Returns the module with vectors in place of matrix types. It is invalid, but SPIRV-Cross, which supports neither extension, can
// read its declarations.
std::vector<uint32_t> without_matrix_types(const std::vector<uint32_t>& module);

}  // namespace nnvk::shader_packer
