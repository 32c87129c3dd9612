// Host memory that an application's callbacks give to the Vulkan driver for nnvk's objects. Exceptions of the callbacks must not
// reach the driver, which is not C++ code.
#pragma once

#include <volk.h>

#include "core/base/foreign_call.h"

namespace nnvk::vulkan {

// Turns the application's allocation functions into callbacks for Vulkan. A HostAllocator must not move, because the driver's
// objects keep its address.
class HostAllocator {
 public:
  explicit HostAllocator(const VkAllocationCallbacks& application) : application_(application) {
    callbacks_ = {this, allocate, reallocate, free, nullptr, nullptr};
    if (application.pfnInternalAllocation != nullptr) callbacks_.pfnInternalAllocation = notify_allocation;
    if (application.pfnInternalFree != nullptr) callbacks_.pfnInternalFree = notify_free;
  }
  HostAllocator(const HostAllocator&) = delete;
  HostAllocator& operator=(const HostAllocator&) = delete;

  // Returns callbacks that call the application's functions. If an allocation throws, they return null.
  const VkAllocationCallbacks& callbacks() const { return callbacks_; }

 private:
  static const VkAllocationCallbacks& of(void* self) { return static_cast<const HostAllocator*>(self)->application_; }

  static VKAPI_ATTR void* VKAPI_CALL allocate(void* self, size_t size, size_t alignment, VkSystemAllocationScope scope) noexcept {
    void* made = nullptr;
    tell_application("pfnAllocation", [&] { made = of(self).pfnAllocation(of(self).pUserData, size, alignment, scope); });
    return made;
  }
  static VKAPI_ATTR void* VKAPI_CALL reallocate(void* self, void* original, size_t size, size_t alignment,
                                                VkSystemAllocationScope scope) noexcept {
    void* made = nullptr;
    tell_application("pfnReallocation",
                     [&] { made = of(self).pfnReallocation(of(self).pUserData, original, size, alignment, scope); });
    return made;
  }
  static VKAPI_ATTR void VKAPI_CALL free(void* self, void* memory) noexcept {
    tell_application("pfnFree", [&] { of(self).pfnFree(of(self).pUserData, memory); });
  }
  static VKAPI_ATTR void VKAPI_CALL notify_allocation(void* self, size_t size, VkInternalAllocationType type,
                                                      VkSystemAllocationScope scope) noexcept {
    tell_application("pfnInternalAllocation", [&] { of(self).pfnInternalAllocation(of(self).pUserData, size, type, scope); });
  }
  static VKAPI_ATTR void VKAPI_CALL notify_free(void* self, size_t size, VkInternalAllocationType type,
                                                VkSystemAllocationScope scope) noexcept {
    tell_application("pfnInternalFree", [&] { of(self).pfnInternalFree(of(self).pUserData, size, type, scope); });
  }

  const VkAllocationCallbacks application_;
  VkAllocationCallbacks callbacks_;
};

}  // namespace nnvk::vulkan
