// What tests of memory descriptors start from: z = x + y of two floats on one device, and descriptors with its roles.
#pragma once

#include "tests/api/api_objects.h"

namespace nnvk::test {

class DescriptorTest : public ::testing::Test {
 protected:
  DescriptorTest() : model_(make_add({2})), compilation_(finished(compile_for_one(model_.get()))) {}

  static MemoryDescPointer fresh_desc() {
    ANeuralNetworksMemoryDesc* desc = nullptr;
    EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&desc), ANEURALNETWORKS_NO_ERROR);
    return MemoryDescPointer(desc);
  }
  // Finished, with the roles input 0 and output 0 of `compilation_`.
  MemoryDescPointer finished_desc() const {
    MemoryDescPointer desc = fresh_desc();
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation_.get(), 0, 1.0F), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), compilation_.get(), 0, 1.0F), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), ANEURALNETWORKS_NO_ERROR);
    return desc;
  }
  MemoryPointer desc_memory() const {
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(finished_desc().get(), &memory), ANEURALNETWORKS_NO_ERROR);
    return MemoryPointer(memory);
  }

  ModelBuilder model_;
  CompilationPointer compilation_;
};

}  // namespace nnvk::test
