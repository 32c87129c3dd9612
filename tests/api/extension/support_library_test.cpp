// Extensions through the Support Library's function table.
#include <map>
#include <string>

#include "tests/api/support_library/loaded_table.h"
#include "tests/support/extension_device/test_extension.h"

namespace nnvk::test {
namespace {

constexpr int kOk = ANEURALNETWORKS_NO_ERROR;
using Type = SL_ANeuralNetworksExtensionOperandTypeInformation;

ANeuralNetworksDevice* device_of_table(const std::string& name) {
  const auto& t = table();
  uint32_t count = 0;
  EXPECT_EQ(t.ANeuralNetworks_getDeviceCount(&count), kOk);
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = nullptr;
    const char* its_name = nullptr;
    EXPECT_EQ(t.ANeuralNetworks_getDevice(i, &device), kOk);
    EXPECT_EQ(t.ANeuralNetworksDevice_getName(device, &its_name), kOk);
    if (name == its_name) return device;
  }
  ADD_FAILURE() << "there is no device " << name;
  return nullptr;
}

TEST(SupportLibraryExtensions, AreListedByNameWithTheirTypes) {
  const auto& t = table();
  const ANeuralNetworksDevice* device = device_of_table(kExtensionDeviceName);
  uint32_t count = 0;
  ASSERT_EQ(t.SL_ANeuralNetworksDevice_getVendorExtensionCount(device, &count), kOk);
  ASSERT_EQ(count, 2U);
  const char* name = nullptr;
  const char* again = nullptr;
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_getVendorExtensionName(device, 0, &name), kOk);
  EXPECT_STREQ(name, kTestExtension);
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_getVendorExtensionName(device, 0, &again), kOk);
  EXPECT_EQ(name, again) << "the string lives with the device";
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_getVendorExtensionName(device, 1, &name), kOk);
  EXPECT_STREQ(name, kDisputedExtension);
  const auto collect = [](Type type, void* context) {
    EXPECT_TRUE((static_cast<std::map<uint16_t, Type>*>(context)->emplace(type.type, type).second));
  };
  std::map<uint16_t, Type> types;
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(device, 0, &types, collect), kOk);
  ASSERT_EQ(types.size(), 2U);
  EXPECT_TRUE(types.at(kFixed16).isTensor);
  EXPECT_EQ(types.at(kFixed16).byteSize, 2U);
  EXPECT_FALSE(types.at(kFactor).isTensor);
  EXPECT_EQ(types.at(kFactor).byteSize, 8U);
}

TEST(SupportLibraryExtensions, RefuseIndexesBeyondTheLast) {
  const auto& t = table();
  const ANeuralNetworksDevice* device = device_of_table(kExtensionDeviceName);
  int calls = 0;
  const auto count = [](Type, void* context) { ++*static_cast<int*>(context); };
  for (const uint32_t index : {2U, UINT32_MAX}) {
    const char* name = "";
    EXPECT_EQ(t.SL_ANeuralNetworksDevice_getVendorExtensionName(device, index, &name), ANEURALNETWORKS_BAD_DATA);
    EXPECT_EQ(name, nullptr);
    EXPECT_EQ(t.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(device, index, &calls, count),
              ANEURALNETWORKS_BAD_DATA);
  }
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(device, 0, nullptr, count),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(calls, 0);
}

TEST(SupportLibraryExtensions, ComputeWithAttributes) {
  const auto& t = table();
  ANeuralNetworksModel* model = nullptr;
  ASSERT_EQ(t.ANeuralNetworksModel_create(&model), kOk);
  int32_t fixed16 = 0;
  int32_t to_float = 0;
  EXPECT_EQ(t.ANeuralNetworksModel_getExtensionOperandType(model, kTestExtension, kFixed16, &fixed16), kOk);
  EXPECT_EQ(t.ANeuralNetworksModel_getExtensionOperationType(model, kTestExtension, kToFloat, &to_float), kOk);
  const uint32_t two = 2;
  const ANeuralNetworksOperandType in{fixed16, 1, &two, 0.0F, 0};
  const ANeuralNetworksOperandType out{ANEURALNETWORKS_TENSOR_FLOAT32, 1, &two, 0.0F, 0};
  EXPECT_EQ(t.ANeuralNetworksModel_addOperand(model, &in), kOk);
  EXPECT_EQ(t.ANeuralNetworksModel_addOperand(model, &out), kOk);
  const uint32_t zero = 0;
  const uint32_t one = 1;
  EXPECT_EQ(t.ANeuralNetworksModel_addOperation(model, to_float, 1, &zero, 1, &one), kOk);
  EXPECT_EQ(t.ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &one), kOk);
  EXPECT_EQ(t.ANeuralNetworksModel_finish(model), kOk);
  const ANeuralNetworksDevice* device = device_of_table(kExtensionDeviceName);
  ANeuralNetworksCompilation* compilation = nullptr;
  ASSERT_EQ(t.ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation), kOk);
  const float gain = 4;
  const float offset = 1;
  EXPECT_EQ(whole_table().ANeuralNetworksCompilation_addExtensionAttribute(compilation, kTestExtension, kGain, &gain, 4), kOk);
  ASSERT_EQ(t.ANeuralNetworksCompilation_finish(compilation), kOk);
  ANeuralNetworksExecution* execution = nullptr;
  ASSERT_EQ(t.ANeuralNetworksExecution_create(compilation, &execution), kOk);
  EXPECT_EQ(whole_table().ANeuralNetworksExecution_addExtensionAttribute(execution, kTestExtension, kOffset, &offset, 4), kOk);
  const std::array<int16_t, 2> x{1, 2};
  std::array<float, 2> y{};
  EXPECT_EQ(t.ANeuralNetworksExecution_setInput(execution, 0, nullptr, x.data(), sizeof x), kOk);
  EXPECT_EQ(t.ANeuralNetworksExecution_setOutput(execution, 0, nullptr, y.data(), sizeof y), kOk);
  EXPECT_EQ(t.ANeuralNetworksExecution_compute(execution), kOk);
  EXPECT_EQ(y, (std::array<float, 2>{5, 9}));
  t.ANeuralNetworksExecution_free(execution);
  t.ANeuralNetworksCompilation_free(compilation);
  t.ANeuralNetworksModel_free(model);
}

}  // namespace
}  // namespace nnvk::test
