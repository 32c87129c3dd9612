/* Finds a device without opening the others. Plain C99. */
#ifndef NNVK_DEVICES_H
#define NNVK_DEVICES_H

#include <android/NeuralNetworks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds a device by the name that ANeuralNetworksDevice_getName returns. `device` receives the handle that
 * ANeuralNetworks_getDevice returns too, or NULL if there is no such device; do not free it. Thread-safe.
 *
 * Listing devices loads the Vulkan drivers, which takes tens of milliseconds and of megabytes, and starts the plugins. This
 * function does so only if no CPU device ("nnvk-cpu", "nnapi-reference") has this name. Nor does a compilation for CPU devices
 * alone (ANeuralNetworksCompilation_createForDevices).
 *
 * UNEXPECTED_NULL: a pointer is NULL. */
int nnvk_findDevice(const char* name, ANeuralNetworksDevice** device);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_DEVICES_H */
