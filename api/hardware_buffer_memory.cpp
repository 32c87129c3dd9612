// Hardware buffers as memory. Their functions are looked up among the libraries that are loaded: a client that holds a buffer has
// loaded the library that made it, whichever that is, and clients without buffers need no libnativewindow.so at all.
#include "api/hardware_buffer_memory.h"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include "core/runtime/memory_range.h"
#include "core/runtime/picture_input.h"
#include "nativewindow/private_interface.h"

namespace nnvk::api {
namespace {

// The library's functions; keeps it loaded.
class BufferLibrary {
 public:
  BufferLibrary() : handle_(::dlopen("libnativewindow.so", RTLD_NOW | RTLD_NOLOAD)) {
    find(acquire, "AHardwareBuffer_acquire");
    find(release, "AHardwareBuffer_release");
    find(describe, "AHardwareBuffer_describe");
    find(lock, "AHardwareBuffer_lock");
    find(lock_planes, "AHardwareBuffer_lockPlanes");
    find(unlock, "AHardwareBuffer_unlock");
    find(get_id, "AHardwareBuffer_getId");
    find(map, "nnvk_mapHardwareBuffer");
  }
  ~BufferLibrary() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  BufferLibrary(const BufferLibrary&) = delete;
  BufferLibrary& operator=(const BufferLibrary&) = delete;

  bool is_complete() const {
    return acquire != nullptr && release != nullptr && describe != nullptr && lock != nullptr && unlock != nullptr;
  }

  decltype(&AHardwareBuffer_acquire) acquire = nullptr;
  decltype(&AHardwareBuffer_release) release = nullptr;
  decltype(&AHardwareBuffer_describe) describe = nullptr;
  decltype(&AHardwareBuffer_lock) lock = nullptr;
  decltype(&AHardwareBuffer_unlock) unlock = nullptr;
  decltype(&AHardwareBuffer_lockPlanes) lock_planes = nullptr;  // Android 10
  decltype(&AHardwareBuffer_getId) get_id = nullptr;  // Android 12
  decltype(&nnvk_mapHardwareBuffer) map = nullptr;    // only our own library
 private:
  // RTLD_DEFAULT: programs may be linked with the functions statically.
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle_ != nullptr ? handle_ : RTLD_DEFAULT, name));
  }

  void* const handle_;
};

// The formats whose pixels become tensors; nothing for the others.
std::optional<PictureDescription> picture_in(const AHardwareBuffer_Desc& description) {
  PictureDescription picture{PictureFormat::kRgba, description.width, description.height};
  switch (description.format) {
    case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
      return picture;
    case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
      picture.format = PictureFormat::kRgbx;
      return picture;
    case AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM:
      picture.format = PictureFormat::kRgb;
      return picture;
    case AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420:
      picture.format = PictureFormat::kYuv420;
      return picture;
    default:
      return std::nullopt;
  }
}

// A buffer locked for reading. Holds a reference of its own: executions may outlive the memory that started them.
class LockedPicture : public PicturePixels {
 public:
  static Result<std::shared_ptr<const PicturePixels>> lock(std::shared_ptr<const BufferLibrary> library, AHardwareBuffer* buffer,
                                                           uint64_t usage, const PictureDescription& picture) {
    AHardwareBuffer_Planes planes{};
    const int error = library->lock_planes(buffer, usage, -1, nullptr, &planes);
    if (error != 0) return fail(Code::kUnmappable, std::string("AHardwareBuffer_lockPlanes failed: ") + std::strerror(-error));
    const std::shared_ptr<LockedPicture> locked(new LockedPicture(std::move(library), buffer));  // unlocks from here on
    NNVK_TRY(locked->lay_out(planes, picture));
    return locked;
  }
  ~LockedPicture() override {
    library_->unlock(buffer_, nullptr);
    library_->release(buffer_);
  }
  LockedPicture(const LockedPicture&) = delete;
  LockedPicture& operator=(const LockedPicture&) = delete;

  const PictureLayout& layout() const override { return layout_; }
  std::span<const std::byte> bytes() const override { return bytes_; }

 private:
  LockedPicture(std::shared_ptr<const BufferLibrary> library, AHardwareBuffer* buffer)
      : library_(std::move(library)), buffer_(buffer) {
    library_->acquire(buffer_);
  }

  // The bytes from the first sample of all planes to the last.
  Status lay_out(const AHardwareBuffer_Planes& planes, const PictureDescription& picture) {
    const bool is_yuv = picture.format == PictureFormat::kYuv420;
    if (planes.planeCount != (is_yuv ? 3U : 1U)) {
      return fail(Code::kUnmappable, "the hardware buffer has " + std::to_string(planes.planeCount) + " planes, " +
                                         (is_yuv ? "3 are" : "1 is") + " expected of its format");
    }
    uintptr_t begin = std::numeric_limits<uintptr_t>::max();
    uintptr_t end = 0;
    for (uint32_t p = 0; p < planes.planeCount; ++p) {
      const AHardwareBuffer_Plane& plane = planes.planes[p];
      const uint32_t columns = p == 0 ? picture.width : (picture.width + 1) / 2;
      const uint32_t rows = p == 0 ? picture.height : (picture.height + 1) / 2;
      const uint64_t sample = picture.format == PictureFormat::kRgb ? 3 : is_yuv ? 1 : 4;
      const auto first = reinterpret_cast<uintptr_t>(plane.data);
      begin = std::min(begin, first);
      end = std::max<uintptr_t>(
          end, first + uint64_t{rows - 1} * plane.rowStride + uint64_t{columns - 1} * plane.pixelStride + sample);
    }
    if (end - begin > static_cast<uintptr_t>(std::numeric_limits<int32_t>::max())) {
      return fail(Code::kUnmappable, "the hardware buffer's planes span 2^31 bytes or more");
    }
    layout_.picture = picture;
    for (uint32_t p = 0; p < planes.planeCount; ++p) {
      const AHardwareBuffer_Plane& plane = planes.planes[p];
      layout_.planes[p] = {static_cast<uint32_t>(reinterpret_cast<uintptr_t>(plane.data) - begin), plane.pixelStride,
                           plane.rowStride};
    }
    bytes_ = {reinterpret_cast<const std::byte*>(begin), end - begin};
    return {};
  }

  const std::shared_ptr<const BufferLibrary> library_;
  AHardwareBuffer* const buffer_;
  PictureLayout layout_;
  std::span<const std::byte> bytes_;
};

class HardwareBufferMemory : public Memory {
 public:
  HardwareBufferMemory(std::shared_ptr<const BufferLibrary> library, const AHardwareBuffer* buffer)
      : library_(std::move(library)), buffer_(const_cast<AHardwareBuffer*>(buffer)) {  // references are counted in it
    library_->acquire(buffer_);
    library_->describe(buffer_, &description_);
    picture_ = picture_in(description_);
  }
  ~HardwareBufferMemory() override {
    if (locked_ != nullptr) library_->unlock(buffer_, nullptr);
    library_->release(buffer_);
  }
  HardwareBufferMemory(const HardwareBufferMemory&) = delete;
  HardwareBufferMemory& operator=(const HardwareBufferMemory&) = delete;

  Result<std::span<std::byte>> map(MapAccess access) const override {
    NNVK_TRY(require_blob(Code::kUnmappable));
    const bool write = access == MapAccess::kWrite;
    const std::lock_guard guard(mutex_);
    if ((description_.usage & (write ? AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK : AHARDWAREBUFFER_USAGE_CPU_READ_MASK)) == 0) {
      return map_for_device(write);
    }
    if (locked_ == nullptr) {
      // BLOBs may be locked by many at once, like shared memory, so this lock lasts as long as the memory.
      constexpr uint64_t kCpu = AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK;
      const int error = library_->lock(buffer_, description_.usage & kCpu, -1, nullptr, &locked_);
      if (error != 0) return fail(Code::kUnmappable, std::string("AHardwareBuffer_lock failed: ") + std::strerror(-error));
    }
    return bytes_at(locked_);
  }

  Status check_constant_range(size_t offset, size_t length) const override {
    NNVK_TRY(require_blob(Code::kBadData));
    return check_memory_range(description_.width, offset, length);
  }

  Status check_usable_for_constants() const override { return require_blob(Code::kBadData); }

  Status check_region(const MemoryUse&, const MemoryRegion& region) const override {
    if (is_blob()) return check_memory_range(description_.width, region.offset, region.length);
    if (region.offset == 0 && region.length == 0) return {};
    return fail(Code::kBadData, "a hardware buffer that is no BLOB is used as a whole: offset and length must be 0");
  }

  const PictureDescription* picture() const override { return picture_ ? &*picture_ : nullptr; }

  // Locked anew for every execution: other processors may write the picture in between.
  Result<std::shared_ptr<const PicturePixels>> lock_picture() const override {
    const uint64_t usage = description_.usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK;
    if (!picture_ || usage == 0 || library_->lock_planes == nullptr) {
      return fail(Code::kUnmappable, std::string("the picture cannot be read: ") +
                                         (usage == 0 ? "its buffer was allocated without AHARDWAREBUFFER_USAGE_CPU_READ"
                                                     : "its library has no AHardwareBuffer_lockPlanes"));
    }
    return LockedPicture::lock(library_, buffer_, usage, *picture_);
  }

  Result<uint64_t> logical_size() const override {
    NNVK_TRY(require_blob(Code::kUnmappable));
    return uint64_t{description_.width};
  }

 private:
  bool is_blob() const { return description_.format == AHARDWAREBUFFER_FORMAT_BLOB; }
  Status require_blob(Code code) const {
    if (is_blob()) return {};
    return fail(code, "the hardware buffer has format " + std::to_string(description_.format) +
                          ", whose bytes are no tensor; use AHARDWAREBUFFER_FORMAT_BLOB (for inputs of executions also R8G8B8A8, "
                          "R8G8B8X8, R8G8B8 and Y8Cb8Cr8_420)");
  }
  std::span<std::byte> bytes_at(void* address) const { return {static_cast<std::byte*>(address), description_.width}; }

  // Buffers for GPU data are the device's to read and write even when the CPU of the client has no business with them.
  Result<std::span<std::byte>> map_for_device(bool write) const {
    void* address = nullptr;
    uint64_t size = 0;
    if ((description_.usage & AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER) == 0 || library_->map == nullptr) {
      return fail(Code::kUnmappable, std::string("the hardware buffer was allocated without AHARDWAREBUFFER_USAGE_CPU_") +
                                         (write ? "WRITE" : "READ") + " but must be " + (write ? "written" : "read"));
    }
    const int error = library_->map(buffer_, &address, &size);
    if (error != 0 || size < description_.width) {
      return fail(Code::kUnmappable, std::string("the hardware buffer cannot be mapped: ") + std::strerror(-error));
    }
    return bytes_at(address);
  }

  const std::shared_ptr<const BufferLibrary> library_;
  AHardwareBuffer* const buffer_;
  AHardwareBuffer_Desc description_{};
  std::optional<PictureDescription> picture_;
  mutable std::mutex mutex_;
  mutable void* locked_ = nullptr;  // guarded by mutex_
};

}  // namespace

Result<std::unique_ptr<Memory>> make_hardware_buffer_memory(const AHardwareBuffer* buffer) {
  auto library = std::make_shared<BufferLibrary>();
  if (!library->is_complete()) {
    return fail(Code::kOpFailed, "no library with hardware buffers is loaded; link libnativewindow.so or load it before");
  }
  uint64_t id = 0;
  if (library->get_id != nullptr && library->get_id(buffer, &id) != 0) {
    return fail(Code::kBadData, "this is no hardware buffer of the libnativewindow.so in this process");
  }
  return std::make_unique<HardwareBufferMemory>(std::move(library), buffer);
}

}  // namespace nnvk::api
