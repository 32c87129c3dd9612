// Devices: wrong use, and all their properties.
#include <algorithm>
#include <set>

#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

TEST(DeviceMisuse, Queries) {
  const ANeuralNetworksDevice* device = cpu_device();
  const char* text = nullptr;
  int32_t type = 0;
  int64_t level = 0;
  bool supported = true;
  const auto count = static_cast<uint32_t>(devices().size());
  auto* untouched = const_cast<ANeuralNetworksDevice*>(device);
  check_cases({
      {2, "count NULL", kNull, NNVK_CALL(ANeuralNetworks_getDeviceCount(nullptr))},
      {4, "device NULL", kNull, NNVK_CALL(ANeuralNetworks_getDevice(0, nullptr))},
      {5, "index == count", kBadData, NNVK_CALL(ANeuralNetworks_getDevice(count, &untouched))},
      {6, "huge index", kBadData, NNVK_CALL(ANeuralNetworks_getDevice(UINT32_MAX, &untouched))},
      {9, "name of NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getName(nullptr, &text))},
      {10, "name NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getName(device, nullptr))},
      {11, "both NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getName(nullptr, nullptr))},
      {13, "version of NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getVersion(nullptr, &text))},
      {14, "version NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getVersion(device, nullptr))},
      {15, "both NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getVersion(nullptr, nullptr))},
      {17, "type of NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getType(nullptr, &type))},
      {18, "type NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getType(device, nullptr))},
      {19, "both NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getType(nullptr, nullptr))},
      {21, "level of NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getFeatureLevel(nullptr, &level))},
      {22, "level NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getFeatureLevel(device, nullptr))},
      {23, "both NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getFeatureLevel(nullptr, nullptr))},
      {26, "wait NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_wait(nullptr))},
      {27, "wait", kOk, NNVK_CALL(ANeuralNetworksDevice_wait(device))},
      {28, "extension of NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getExtensionSupport(nullptr, "a.b", &supported))},
      {29, "extension name NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getExtensionSupport(device, nullptr, &supported))},
      {30, "extension result NULL", kNull, NNVK_CALL(ANeuralNetworksDevice_getExtensionSupport(device, "a.b", nullptr))},
      {32, "an extension and the CPU device", kOk,
       NNVK_CALL(ANeuralNetworksDevice_getExtensionSupport(device, "a.b", &supported))},
  });
  EXPECT_EQ(untouched, device);
  EXPECT_FALSE(supported);
}

TEST(DeviceMisuse, WhatEveryDeviceSaysAboutItself) {
  std::vector<std::string> names;
  for (const ANeuralNetworksDevice* device : devices()) {
    const char* name = nullptr;
    const char* version = nullptr;
    int32_t type = -1;
    int64_t level = 0;
    bool supported = true;
    check_cases({
        {12, "name", kOk, NNVK_CALL(ANeuralNetworksDevice_getName(device, &name))},
        {16, "version", kOk, NNVK_CALL(ANeuralNetworksDevice_getVersion(device, &version))},
        {20, "type", kOk, NNVK_CALL(ANeuralNetworksDevice_getType(device, &type))},
        {24, "level", kOk, NNVK_CALL(ANeuralNetworksDevice_getFeatureLevel(device, &level))},
        {31, "unknown extension", kOk, NNVK_CALL(ANeuralNetworksDevice_getExtensionSupport(device, "a.b", &supported))},
        {0, "wait", kOk, NNVK_CALL(ANeuralNetworksDevice_wait(device))},
    });
    ASSERT_NE(name, nullptr);
    ASSERT_NE(version, nullptr);
    EXPECT_STRNE(version, "");
    EXPECT_TRUE(type >= ANEURALNETWORKS_DEVICE_OTHER && type <= ANEURALNETWORKS_DEVICE_ACCELERATOR) << type;
    EXPECT_EQ(level, ANEURALNETWORKS_FEATURE_LEVEL_8);
    EXPECT_FALSE(supported);
    names.emplace_back(name);
  }
  check_cases({{25, "names differ pairwise", kOk, [&] {
                  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
                  return kOk;
                }}});
}

TEST(DeviceMisuse, TheListOfDevices) {
  uint32_t count = 0;
  ANeuralNetworksDevice* first = nullptr;
  ANeuralNetworksDevice* second = nullptr;
  check_cases({
      {3, "count", kOk, NNVK_CALL(ANeuralNetworks_getDeviceCount(&count))},
      {7, "the last device", kOk, NNVK_CALL(ANeuralNetworks_getDevice(count - 1, &first))},
      {8, "again", kOk, NNVK_CALL(ANeuralNetworks_getDevice(count - 1, &second))},
  });
  EXPECT_GE(count, 1U);
  EXPECT_EQ(first, second);
  const char* name = nullptr;
  ASSERT_EQ(ANeuralNetworksDevice_getName(first, &name), kOk);
  EXPECT_STREQ(name, "nnapi-reference");
}

TEST(DeviceMisuse, NumbersOfTheRuntime) {
  const auto is = [](bool right) { return right ? kOk : kFailed; };
  check_cases({
      {1, "feature level 8", kOk, NNVK_CALL(is(ANeuralNetworks_getRuntimeFeatureLevel() == 1000008))},
      {33, "default loop timeout", kOk, NNVK_CALL(is(ANeuralNetworks_getDefaultLoopTimeout() == 2'000'000'000U))},
      {34, "maximum loop timeout", kOk, NNVK_CALL(is(ANeuralNetworks_getMaximumLoopTimeout() == 15'000'000'000U))},
  });
}

TEST(DeviceMisuse, SupportedOperations) {
  const ModelBuilder model = make_add({2});
  const ANeuralNetworksDevice* cpu = cpu_device();
  bool supported[4] = {};
  const auto ask = [&](const ANeuralNetworksModel* m, std::vector<const ANeuralNetworksDevice*> devices) {
    return ANeuralNetworksModel_getSupportedOperationsForDevices(m, devices.data(), static_cast<uint32_t>(devices.size()),
                                                                 supported);
  };
  const ModelBuilder invalid = invalid_model();
  check_cases({
      {35, "model NULL", kNull, NNVK_CALL(ask(nullptr, {cpu}))},
      {36, "devices NULL", kNull,
       NNVK_CALL(ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), nullptr, 1, supported))},
      {37, "result NULL", kNull, NNVK_CALL(ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &cpu, 1, nullptr))},
      {38, "no devices", kBadData,
       NNVK_CALL(ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &cpu, 0, supported))},
      {39, "unfinished", kBadState, NNVK_CALL(ask(ModelBuilder().get(), {cpu}))},
      {40, "invalid", kBadState, NNVK_CALL(ask(invalid.get(), {cpu}))},
      {41, "NULL in the list", kNull, NNVK_CALL(ask(model.get(), {nullptr}))},
      {42, "twice", kBadData, NNVK_CALL(ask(model.get(), {cpu, cpu}))},
      {43, "{d, d, NULL}", kBadData, NNVK_CALL(ask(model.get(), {cpu, cpu, nullptr}))},
      {44, "{NULL, d, d}", kNull, NNVK_CALL(ask(model.get(), {nullptr, cpu, cpu}))},
      {45, "no devices and unfinished", kBadData,
       NNVK_CALL(ANeuralNetworksModel_getSupportedOperationsForDevices(ModelBuilder().get(), &cpu, 0, supported))},
      {46, "NULL in the list and unfinished", kBadState, NNVK_CALL(ask(ModelBuilder().get(), {nullptr}))},
      {47, "CPU device", kOk, NNVK_CALL(ask(model.get(), {cpu}))},
  });
  EXPECT_TRUE(supported[0]);
  // Vendor operations before and after a RELU, in the order of addOperation although they run the other way round.
  const auto relu_between = [&](int32_t code) {
    ModelBuilder vendor;
    const uint32_t x = vendor.operand(kFloat, {2});
    const uint32_t a = vendor.operand(kFloat, {2});
    const uint32_t b = vendor.operand(kFloat, {2});
    const uint32_t y = vendor.operand(kFloat, {2});
    EXPECT_EQ(vendor.operation(code, {b}, {y}), kOk);
    EXPECT_EQ(vendor.operation(ANEURALNETWORKS_RELU, {a}, {b}), kOk);
    EXPECT_EQ(vendor.operation(code, {x}, {a}), kOk);
    vendor.finish({x}, {y});
    std::fill(std::begin(supported), std::end(supported), true);
    const int result = ask(vendor.get(), {cpu});
    EXPECT_FALSE(supported[0]);
    EXPECT_TRUE(supported[1]);
    EXPECT_FALSE(supported[2]);
    return result;
  };
  check_cases({
      {48, "OEM_OPERATION", kOk, NNVK_CALL(relu_between(ANEURALNETWORKS_OEM_OPERATION))},
      {49, "extension operation", kOk, NNVK_CALL(relu_between(extension_operation("com.example.nobody", 1)))},
      {50, "added out of order", kOk, NNVK_CALL(relu_between(ANEURALNETWORKS_OEM_OPERATION))},
  });
}

}  // namespace
}  // namespace nnvk::test
