// The fixture for tests of memory descriptors: z = x + y of two floats on one device, and descriptors with its roles.
#pragma once

#include "tests/api/api_objects.h"

namespace nnvk::test {

class DescriptorTest : public ::testing::Test {
 protected:
  // With the roles input 0 and output 0 of `compilation_`.
  MemoryDescPointer desc_with_roles() const {
    MemoryDescPointer desc = make_desc();
    add_input_role(desc, compilation_);
    add_output_role(desc, compilation_);
    return desc;
  }
  MemoryDescPointer finished_desc() const {
    MemoryDescPointer desc = desc_with_roles();
    EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
    return desc;
  }
  MemoryPointer desc_memory() const { return memory_from(desc_with_roles()); }

  ModelBuilder model_ = make_add({2});
  CompilationPointer compilation_ = finished(compile_for_one(model_.get()));
};

}  // namespace nnvk::test
