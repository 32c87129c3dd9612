/* Vendor extensions: the platform functions of libneuralnetworks.so (version node LIBNEURALNETWORKS_PLATFORM).
 * An extension is a name like "com.vendor.extension"; its types and operations are numbered within it. */
#ifndef ANDROID_NEURAL_NETWORKS_EXTENSIONS_H
#define ANDROID_NEURAL_NETWORKS_EXTENSIONS_H

#include <android/NeuralNetworks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets isExtensionSupported to true if the device lists the vendor extension of this name. Feature level 3. */
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice* device, const char* extensionName,
                                              bool* isExtensionSupported);

/* Returns the type code of an operand type of a vendor extension. Works in any state of the model. Feature level 3. */
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel* model, const char* extensionName,
                                                 uint16_t operandCodeWithinExtension, int32_t* type);

/* Returns the operation code of an operation of a vendor extension. Feature level 3. */
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel* model, const char* extensionName,
                                                   uint16_t operationCodeWithinExtension, ANeuralNetworksOperationType* type);

/* Attaches a copied blob to an operand of an extension type; NULL with length 0 removes it. Feature level 3. */
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel* model, int32_t index, const void* data, size_t length);

/* Passes a vendor attribute (copied) to the device at compilation. Needs a compilation for one device. Feature level 8. */
int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation* compilation, const char* extensionName,
                                                     uint16_t attributeCodeWithinExtension, const void* data, size_t length);

/* Passes a vendor attribute (copied) to the device at execution. Needs a compilation for one device. Feature level 8. */
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution* execution, const char* extensionName,
                                                   uint16_t attributeCodeWithinExtension, const void* data, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* ANDROID_NEURAL_NETWORKS_EXTENSIONS_H */
