/* Types, structs and numbers of the Neural Networks API (feature levels 1 to 8), as clients of libneuralnetworks.so see them.
 * Values and layouts are fixed by the ABI. Plain C99, also usable from C++. "FL n" = needs feature level n. */
#ifndef ANDROID_NEURAL_NETWORKS_TYPES_H
#define ANDROID_NEURAL_NETWORKS_TYPES_H

#include <android/hardware_buffer.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types of operands. */
typedef enum {
  ANEURALNETWORKS_FLOAT32 = 0,        /* scalar 32-bit float; 4 bytes */
  ANEURALNETWORKS_INT32 = 1,          /* scalar 32-bit signed integer; 4 bytes */
  ANEURALNETWORKS_UINT32 = 2,         /* scalar 32-bit unsigned integer; 4 bytes */
  ANEURALNETWORKS_TENSOR_FLOAT32 = 3, /* tensor of 32-bit floats */
  ANEURALNETWORKS_TENSOR_INT32 = 4,   /* tensor of 32-bit signed integers; may carry scale >= 0 with zeroPoint 0 (bias tensors) */
  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM = 5, /* tensor of uint8; real = (q - zeroPoint) * scale; zeroPoint 0..255; scale > 0 */
  ANEURALNETWORKS_BOOL = 6,                /* scalar boolean stored in one byte; 0 is false, any other value is true (FL 3) */
  ANEURALNETWORKS_TENSOR_QUANT16_SYMM = 7, /* tensor of int16; real = q * scale; zeroPoint 0; scale > 0 (FL 3) */
  ANEURALNETWORKS_TENSOR_FLOAT16 = 8,      /* tensor of IEEE binary16; 2 bytes per element */
  ANEURALNETWORKS_TENSOR_BOOL8 = 9,        /* tensor of one-byte booleans; 0 is false, any other value is true */
  ANEURALNETWORKS_FLOAT16 = 10,            /* scalar IEEE binary16; 2 bytes (FL 3) */
  /* tensor of int8; real = q * scales[channel]; scale and zeroPoint of the operand are 0 (FL 3) */
  ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
  /* tensor of uint16; real = (q - zeroPoint) * scale; zeroPoint 0..65535; scale > 0 (FL 3) */
  ANEURALNETWORKS_TENSOR_QUANT16_ASYMM = 12,
  ANEURALNETWORKS_TENSOR_QUANT8_SYMM = 13, /* tensor of int8; real = q * scale; zeroPoint 0; scale > 0 (FL 3) */
  /* tensor of int8; real = (q - zeroPoint) * scale; zeroPoint -128..127; scale > 0 (FL 4) */
  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED = 14,
  ANEURALNETWORKS_MODEL = 15, /* another finished model; used by IF and WHILE (FL 4) */
} OperandCode;

/* Operations. Operands, types and numerics of each: core/operations and the documentation. */
typedef enum {
  ANEURALNETWORKS_ADD = 0,                           /* elementwise sum with broadcast and fused activation */
  ANEURALNETWORKS_AVERAGE_POOL_2D = 1,               /* windowed mean over height/width */
  ANEURALNETWORKS_CONCATENATION = 2,                 /* join tensors along one axis */
  ANEURALNETWORKS_CONV_2D = 3,                       /* 2-D convolution with bias and fused activation */
  ANEURALNETWORKS_DEPTHWISE_CONV_2D = 4,             /* per-channel 2-D convolution with a depth multiplier */
  ANEURALNETWORKS_DEPTH_TO_SPACE = 5,                /* move channel blocks into spatial positions */
  ANEURALNETWORKS_DEQUANTIZE = 6,                    /* quantized (or float16) tensor to float */
  ANEURALNETWORKS_EMBEDDING_LOOKUP = 7,              /* gather rows (first dimension) by an int32 index list */
  ANEURALNETWORKS_FLOOR = 8,                         /* elementwise round toward minus infinity */
  ANEURALNETWORKS_FULLY_CONNECTED = 9,               /* dense layer: input x weights^T + bias, fused activation */
  ANEURALNETWORKS_HASHTABLE_LOOKUP = 10,             /* look rows up by sorted int32 keys, with a hit mask output */
  ANEURALNETWORKS_L2_NORMALIZATION = 11,             /* divide by the Euclidean norm along an axis */
  ANEURALNETWORKS_L2_POOL_2D = 12,                   /* root mean square over a window */
  ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION = 13, /* normalise by squared neighbours along an axis */
  ANEURALNETWORKS_LOGISTIC = 14,                     /* elementwise sigmoid */
  ANEURALNETWORKS_LSH_PROJECTION = 15,               /* locality sensitive hashing projection */
  ANEURALNETWORKS_LSTM = 16,                         /* one step of a (CIFG/peephole/projection/layer-norm) LSTM cell */
  ANEURALNETWORKS_MAX_POOL_2D = 17,                  /* windowed maximum over height/width */
  ANEURALNETWORKS_MUL = 18,                          /* elementwise product with broadcast and fused activation */
  ANEURALNETWORKS_RELU = 19,                         /* clamp below at 0 */
  ANEURALNETWORKS_RELU1 = 20,                        /* clamp to -1..1 */
  ANEURALNETWORKS_RELU6 = 21,                        /* clamp to 0..6 */
  ANEURALNETWORKS_RESHAPE = 22,                      /* change the shape, keep the data */
  ANEURALNETWORKS_RESIZE_BILINEAR = 23,              /* bilinear image resize */
  ANEURALNETWORKS_RNN = 24,                          /* one step of a basic recurrent cell */
  ANEURALNETWORKS_SOFTMAX = 25,                      /* softmax along an axis with a beta scale */
  ANEURALNETWORKS_SPACE_TO_DEPTH = 26,               /* move spatial blocks into channels */
  ANEURALNETWORKS_SVDF = 27,                         /* one step of a singular-value-decomposition filter */
  ANEURALNETWORKS_TANH = 28,                         /* elementwise hyperbolic tangent */
  ANEURALNETWORKS_BATCH_TO_SPACE_ND = 29,            /* move batch blocks into spatial positions (FL 2) */
  ANEURALNETWORKS_DIV = 30,                          /* elementwise quotient with broadcast and fused activation (FL 2) */
  ANEURALNETWORKS_MEAN = 31,                         /* average over chosen axes (FL 2) */
  ANEURALNETWORKS_PAD = 32,                          /* pad with zeros (zero point when quantized) (FL 2) */
  ANEURALNETWORKS_SPACE_TO_BATCH_ND = 33,            /* move spatial blocks into the batch dimension (FL 2) */
  ANEURALNETWORKS_SQUEEZE = 34,                      /* drop dimensions of size 1 (FL 2) */
  ANEURALNETWORKS_STRIDED_SLICE = 35,                /* slice with begin, end, strides and masks (FL 2) */
  ANEURALNETWORKS_SUB = 36,                          /* elementwise difference with broadcast and fused activation (FL 2) */
  ANEURALNETWORKS_TRANSPOSE = 37,                    /* permute dimensions (FL 2) */
  ANEURALNETWORKS_ABS = 38,                          /* elementwise absolute value (FL 3) */
  ANEURALNETWORKS_ARGMAX = 39,                       /* index of the largest value along an axis (FL 3) */
  ANEURALNETWORKS_ARGMIN = 40,                       /* index of the smallest value along an axis (FL 3) */
  ANEURALNETWORKS_AXIS_ALIGNED_BBOX_TRANSFORM = 41,  /* apply box deltas to regions of interest (FL 3) */
  ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM = 42,  /* forward and backward LSTM over a sequence (FL 3) */
  ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN = 43,   /* forward and backward RNN over a sequence (FL 3) */
  ANEURALNETWORKS_BOX_WITH_NMS_LIMIT = 44,           /* per-class score filter and non-maximum suppression (FL 3) */
  ANEURALNETWORKS_CAST = 45,                         /* change the element type (FL 3) */
  ANEURALNETWORKS_CHANNEL_SHUFFLE = 46,              /* regroup channels (FL 3) */
  ANEURALNETWORKS_DETECTION_POSTPROCESSING = 47,     /* decode anchors and run non-maximum suppression (FL 3) */
  ANEURALNETWORKS_EQUAL = 48,                        /* elementwise comparison == (FL 3) */
  ANEURALNETWORKS_EXP = 49,                          /* elementwise exponential (FL 3) */
  ANEURALNETWORKS_EXPAND_DIMS = 50,                  /* insert a dimension of size 1 (FL 3) */
  ANEURALNETWORKS_GATHER = 51,                       /* gather slices along an axis (FL 3) */
  ANEURALNETWORKS_GENERATE_PROPOSALS = 52,           /* region proposals from scores, deltas and anchors (FL 3) */
  ANEURALNETWORKS_GREATER = 53,                      /* elementwise comparison > (FL 3) */
  ANEURALNETWORKS_GREATER_EQUAL = 54,                /* elementwise comparison >= (FL 3) */
  ANEURALNETWORKS_GROUPED_CONV_2D = 55,              /* 2-D convolution with channel groups (FL 3) */
  ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT = 56,         /* keypoint coordinates from heatmaps (FL 3) */
  ANEURALNETWORKS_INSTANCE_NORMALIZATION = 57,       /* normalise each instance and channel over height/width (FL 3) */
  ANEURALNETWORKS_LESS = 58,                         /* elementwise comparison < (FL 3) */
  ANEURALNETWORKS_LESS_EQUAL = 59,                   /* elementwise comparison <= (FL 3) */
  ANEURALNETWORKS_LOG = 60,                          /* elementwise natural logarithm (FL 3) */
  ANEURALNETWORKS_LOGICAL_AND = 61,                  /* elementwise boolean and (FL 3) */
  ANEURALNETWORKS_LOGICAL_NOT = 62,                  /* elementwise boolean not (FL 3) */
  ANEURALNETWORKS_LOGICAL_OR = 63,                   /* elementwise boolean or (FL 3) */
  ANEURALNETWORKS_LOG_SOFTMAX = 64,                  /* log of softmax along an axis (FL 3) */
  ANEURALNETWORKS_MAXIMUM = 65,                      /* elementwise maximum with broadcast (FL 3) */
  ANEURALNETWORKS_MINIMUM = 66,                      /* elementwise minimum with broadcast (FL 3) */
  ANEURALNETWORKS_NEG = 67,                          /* elementwise negation (FL 3) */
  ANEURALNETWORKS_NOT_EQUAL = 68,                    /* elementwise comparison != (FL 3) */
  ANEURALNETWORKS_PAD_V2 = 69,                       /* pad with a given value (FL 3) */
  ANEURALNETWORKS_POW = 70,                          /* elementwise power with broadcast (FL 3) */
  ANEURALNETWORKS_PRELU = 71,                        /* rectifier with a learned negative slope tensor (FL 3) */
  ANEURALNETWORKS_QUANTIZE = 72,                     /* float tensor to quantized 8-bit (FL 3) */
  ANEURALNETWORKS_QUANTIZED_16BIT_LSTM = 73,         /* one step of an LSTM with 8-bit activations and 16-bit state (FL 3) */
  ANEURALNETWORKS_RANDOM_MULTINOMIAL = 74,           /* draw class indices from log probabilities (FL 3) */
  ANEURALNETWORKS_REDUCE_ALL = 75,                   /* boolean and over axes (FL 3) */
  ANEURALNETWORKS_REDUCE_ANY = 76,                   /* boolean or over axes (FL 3) */
  ANEURALNETWORKS_REDUCE_MAX = 77,                   /* maximum over axes (FL 3) */
  ANEURALNETWORKS_REDUCE_MIN = 78,                   /* minimum over axes (FL 3) */
  ANEURALNETWORKS_REDUCE_PROD = 79,                  /* product over axes (FL 3) */
  ANEURALNETWORKS_REDUCE_SUM = 80,                   /* sum over axes (FL 3) */
  ANEURALNETWORKS_ROI_ALIGN = 81,                    /* bilinear-sampled region pooling (average) (FL 3) */
  ANEURALNETWORKS_ROI_POOLING = 82,                  /* max pooling over regions (FL 3) */
  ANEURALNETWORKS_RSQRT = 83,                        /* elementwise reciprocal square root (FL 3) */
  ANEURALNETWORKS_SELECT = 84,                       /* choose between two tensors by a boolean tensor (FL 3) */
  ANEURALNETWORKS_SIN = 85,                          /* elementwise sine (FL 3) */
  ANEURALNETWORKS_SLICE = 86,                        /* contiguous sub-block given begin and size (FL 3) */
  ANEURALNETWORKS_SPLIT = 87,                        /* split along an axis into equal parts (FL 3) */
  ANEURALNETWORKS_SQRT = 88,                         /* elementwise square root (FL 3) */
  ANEURALNETWORKS_TILE = 89,                         /* repeat along each dimension (FL 3) */
  ANEURALNETWORKS_TOPK_V2 = 90,                      /* k largest values and their indices along the last axis (FL 3) */
  ANEURALNETWORKS_TRANSPOSE_CONV_2D = 91,            /* gradient-style (up-sampling) 2-D convolution (FL 3) */
  ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM = 92, /* LSTM over a sequence (FL 3) */
  ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN = 93,  /* RNN over a sequence (FL 3) */
  ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR = 94,      /* nearest-neighbour image resize (FL 3) */
  ANEURALNETWORKS_QUANTIZED_LSTM = 95, /* one step of an LSTM with 8-bit weights and 16-bit internals, per-gate scales (FL 4) */
  ANEURALNETWORKS_IF = 96,             /* run one of two referenced models by a boolean condition (FL 4) */
  ANEURALNETWORKS_WHILE = 97,          /* run a referenced body model while a referenced condition model says true (FL 4) */
  ANEURALNETWORKS_ELU = 98,            /* exponential linear unit with alpha (FL 4) */
  ANEURALNETWORKS_HARD_SWISH = 99,     /* x * relu6(x+3) / 6 (FL 4) */
  ANEURALNETWORKS_FILL = 100,          /* make a tensor filled with one value (FL 4) */
  ANEURALNETWORKS_RANK = 101,          /* number of dimensions as an int32 scalar output (FL 4) */
  ANEURALNETWORKS_BATCH_MATMUL = 102,  /* batched matrix product with optional adjoint flags (FL 6) */
  ANEURALNETWORKS_PACK = 103,          /* stack tensors along a new axis (FL 6) */
  ANEURALNETWORKS_MIRROR_PAD = 104,    /* pad by reflection (mode 0) or symmetric reflection (mode 1) (FL 7) */
  ANEURALNETWORKS_REVERSE = 105,       /* reverse one axis (FL 7) */
} OperationCode;

/* Activation applied to the result of an operation that has an activation operand. */
typedef enum {
  ANEURALNETWORKS_FUSED_NONE = 0,  /* no fused activation */
  ANEURALNETWORKS_FUSED_RELU = 1,  /* clamp result below at 0 */
  ANEURALNETWORKS_FUSED_RELU1 = 2, /* clamp result to -1..1 */
  ANEURALNETWORKS_FUSED_RELU6 = 3, /* clamp result to 0..6 */
} FuseCode;

/* Implicit padding schemes of windowed operations. */
typedef enum {
  ANEURALNETWORKS_PADDING_SAME = 1,  /* output size = ceil(input / stride); padding split evenly, the odd one at the end */
  ANEURALNETWORKS_PADDING_VALID = 2, /* no padding; incomplete windows are dropped */
} PaddingCode;

/* The goal that a compilation optimises for. */
typedef enum {
  ANEURALNETWORKS_PREFER_LOW_POWER = 0, /* minimise energy; nnvk has no power figures and chooses devices by predicted time */
  /* minimise latency of one run (default when never set); nnvk chooses devices by predicted time */
  ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER = 1,
  ANEURALNETWORKS_PREFER_SUSTAINED_SPEED = 2, /* maximise throughput of successive runs; devices are chosen as above */
} PreferenceCode;

/* Kinds of devices. */
typedef enum {
  ANEURALNETWORKS_DEVICE_UNKNOWN = 0,     /* type not known (FL 3) */
  ANEURALNETWORKS_DEVICE_OTHER = 1,       /* none of the listed types (FL 3) */
  ANEURALNETWORKS_DEVICE_CPU = 2,         /* multi-core CPU; the built-in nnapi-reference device reports this (FL 3) */
  ANEURALNETWORKS_DEVICE_GPU = 3,         /* GPU that can run neural networks and graphics APIs (FL 3) */
  ANEURALNETWORKS_DEVICE_ACCELERATOR = 4, /* dedicated neural network hardware (FL 3) */
} DeviceTypeCode;

/* Levels of the runtime and of devices. */
typedef enum {
  ANEURALNETWORKS_FEATURE_LEVEL_1 = 27,      /* feature level 1 (equals Android API level 27) */
  ANEURALNETWORKS_FEATURE_LEVEL_2 = 28,      /* feature level 2 (API level 28) */
  ANEURALNETWORKS_FEATURE_LEVEL_3 = 29,      /* feature level 3 (API level 29) */
  ANEURALNETWORKS_FEATURE_LEVEL_4 = 30,      /* feature level 4 (API level 30) */
  ANEURALNETWORKS_FEATURE_LEVEL_5 = 31,      /* feature level 5 (API level 31) */
  ANEURALNETWORKS_FEATURE_LEVEL_6 = 1000006, /* from here on 1000000 + level */
  ANEURALNETWORKS_FEATURE_LEVEL_7 = 1000007, /* feature level 7 */
  ANEURALNETWORKS_FEATURE_LEVEL_8 = 1000008, /* feature level 8 */
} FeatureLevelCode;

/* The results of every function that can fail. */
typedef enum {
  ANEURALNETWORKS_NO_ERROR = 0,                    /* success */
  ANEURALNETWORKS_OUT_OF_MEMORY = 1,               /* an allocation failed */
  ANEURALNETWORKS_INCOMPLETE = 2,                  /* defined, but not produced by any documented path */
  ANEURALNETWORKS_UNEXPECTED_NULL = 3,             /* a required pointer was NULL */
  ANEURALNETWORKS_BAD_DATA = 4,                    /* an argument, or the model as a whole, is invalid or out of range */
  ANEURALNETWORKS_OP_FAILED = 5,                   /* a device, operation or system call failed at run time */
  ANEURALNETWORKS_BAD_STATE = 6,                   /* the object is in the wrong stage of its life for this call */
  ANEURALNETWORKS_UNMAPPABLE = 7,                  /* a memory object could not be mapped */
  ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE = 8,    /* an output buffer is smaller than the result */
  ANEURALNETWORKS_UNAVAILABLE_DEVICE = 9,          /* the chosen device cannot take work now; in practice from feature level 3 */
  ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT = 10,  /* deadline missed, trying again may work (FL 4) */
  ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT = 11, /* deadline missed, trying again will not work (FL 4) */
  ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT = 12,  /* a device resource ran out, trying again may work (FL 4) */
  ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT = 13, /* a device resource ran out, trying again will not work (FL 4) */
  ANEURALNETWORKS_DEAD_OBJECT = 14,                   /* the device's service has died (FL 4) */
} ResultCode;

/* The durations that ANeuralNetworksExecution_getDuration returns. */
typedef enum {
  ANEURALNETWORKS_DURATION_ON_HARDWARE = 0, /* nanoseconds on the hardware itself (FL 3) */
  /* nanoseconds in the driver, including hardware time, excluding runtime and IPC overhead (FL 3) */
  ANEURALNETWORKS_DURATION_IN_DRIVER = 1,
  /* hardware time counted from the moment every dependency had signalled (FL 4) */
  ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE = 2,
  ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER = 3, /* driver time counted from the moment every dependency had signalled (FL 4) */
} DurationCode;

/* Relative importance of the executions of a compilation. */
typedef enum {
  ANEURALNETWORKS_PRIORITY_LOW = 90,      /* low (FL 4) */
  ANEURALNETWORKS_PRIORITY_MEDIUM = 100,  /* medium (FL 4) */
  ANEURALNETWORKS_PRIORITY_HIGH = 110,    /* high (FL 4) */
  ANEURALNETWORKS_PRIORITY_DEFAULT = 100, /* alias of PRIORITY_MEDIUM; used when never set (FL 4) */
} PriorityCode;

/* Deprecated vendor-defined types and operation of feature level 1; no device of this library runs them. */
enum {
  ANEURALNETWORKS_OEM_SCALAR = 10000,      /* scalar of vendor-defined size */
  ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001, /* tensor of vendor-defined bytes */
  ANEURALNETWORKS_OEM_OPERATION = 10000    /* vendor-defined operation */
};

enum {
  /* ANeuralNetworksModel_setOperandValue copies values up to this many bytes during the call. */
  ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES = 128
};

enum {
  ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN = 32 /* bytes of the token given to ANeuralNetworksCompilation_setCaching */
};

/* Opaque objects. Each is made by a _create function and destroyed by the matching _free function (devices: never). */
typedef struct ANeuralNetworksMemory
    ANeuralNetworksMemory; /* bytes shared with devices: a mapped file descriptor, a hardware buffer, or memory of a device */
typedef struct ANeuralNetworksModel ANeuralNetworksModel;             /* a graph of operations under construction, or finished */
typedef struct ANeuralNetworksDevice ANeuralNetworksDevice;           /* a processor; lives as long as the library */
typedef struct ANeuralNetworksCompilation ANeuralNetworksCompilation; /* a model made ready on one or more devices */
typedef struct ANeuralNetworksExecution ANeuralNetworksExecution;     /* one set of inputs and outputs for a compilation */
typedef struct ANeuralNetworksBurst ANeuralNetworksBurst;             /* a hint that executions follow each other quickly */
typedef struct ANeuralNetworksEvent ANeuralNetworksEvent; /* completion of an asynchronous execution, or a foreign sync fence */
typedef struct ANeuralNetworksMemoryDesc ANeuralNetworksMemoryDesc; /* the future uses of a device memory */

typedef int32_t ANeuralNetworksOperationType; /* an OperationCode, or (extension prefix << 16) | code */

/* Type, shape and quantization of an operand. Read during the call only. A dimension of 0 is unspecified; dimensionCount 0 of a
 * tensor is an unspecified rank. */
typedef struct ANeuralNetworksOperandType {
  int32_t type;               /* an OperandCode, or (extension prefix << 16) | code */
  uint32_t dimensionCount;    /* rank; 0 for scalars */
  const uint32_t* dimensions; /* dimensionCount entries; NULL exactly when dimensionCount is 0 */
  float scale;                /* quantized types only, else 0 */
  int32_t zeroPoint;          /* asymmetric quantized types only, else 0 */
} ANeuralNetworksOperandType;

/* Scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand. Read during the call only. */
typedef struct ANeuralNetworksSymmPerChannelQuantParams {
  uint32_t channelDim; /* dimension along which the scales apply */
  uint32_t scaleCount; /* the size of that dimension */
  const float* scales; /* scaleCount positive values */
} ANeuralNetworksSymmPerChannelQuantParams;

#ifdef __cplusplus
}
#endif

#endif /* ANDROID_NEURAL_NETWORKS_TYPES_H */
