/* Compiles every public header as C99, in both orders of inclusion that clients use. */
#include <android/NeuralNetworksExtensions.h>
#include <android/hardware_buffer.h>
#include <nnvk/diagnostics.h>
#include <nnvk/hardware_buffer.h>
#include <nnvk/interface.h>
#include <nnvk/kernels.h>
#include <nnvk/picture.h>
#include <nnvk/support_library.h>
#include <nnvk/vulkan_interop.h>

typedef char operand_type_has_its_size[sizeof(ANeuralNetworksOperandType) == (sizeof(void*) == 8 ? 24 : 20) ? 1 : -1];

static const nnvk_PictureConversion kConversion = NNVK_PICTURE_CONVERSION_DEFAULT;

int nnvk_headers_are_c99(void);
int nnvk_headers_are_c99(void) { return (int)sizeof(operand_type_has_its_size) + (int)kConversion.filter; }
