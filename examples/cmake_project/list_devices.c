// Lists the devices of the library that this program was linked with.
#include <android/NeuralNetworks.h>
#include <android/hardware_buffer.h>
#include <inttypes.h>
#include <stdio.h>

int main(void) {
  uint32_t count = 0;
  if (ANeuralNetworks_getDeviceCount(&count) != ANEURALNETWORKS_NO_ERROR || count == 0) {
    fprintf(stderr, "the library offers no device\n");
    return 1;
  }
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = NULL;
    const char* name = NULL;
    int64_t level = 0;
    if (ANeuralNetworks_getDevice(i, &device) != ANEURALNETWORKS_NO_ERROR ||
        ANeuralNetworksDevice_getName(device, &name) != ANEURALNETWORKS_NO_ERROR ||
        ANeuralNetworksDevice_getFeatureLevel(device, &level) != ANEURALNETWORKS_NO_ERROR) {
      fprintf(stderr, "device %" PRIu32 " does not answer\n", i);
      return 1;
    }
    printf("%s, feature level %" PRId64 "\n", name, level);
  }
  const AHardwareBuffer_Desc bytes = {.width = 4096,
                                      .height = 1,
                                      .layers = 1,
                                      .format = AHARDWAREBUFFER_FORMAT_BLOB,
                                      .usage = AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER};
  printf("hardware buffers: %s\n", AHardwareBuffer_isSupported(&bytes) ? "yes" : "no");
  return 0;
}
