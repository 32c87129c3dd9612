// Hardware buffers as memory. Looks up the functions of the library that made a buffer among the loaded libraries, so that
// clients without buffers need no libnativewindow.so.
#include "api/hardware_buffer_memory.h"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/config.h"
#include "core/base/hardware_buffer_content.h"
#include "core/base/library_folder.h"
#include "core/runtime/picture_input.h"

namespace nnvk::api {
namespace {

// Holds the functions of the library for hardware buffers, and keeps that library loaded.
class BufferLibrary {
 public:
  enum class Load : uint8_t { kNo, kYes };
  explicit BufferLibrary(Load load = Load::kNo) : handle_(open(load)) {
    find(acquire, "AHardwareBuffer_acquire");
    find(release, "AHardwareBuffer_release");
    find(describe, "AHardwareBuffer_describe");
    find(lock, "AHardwareBuffer_lock");
    find(lock_planes, "AHardwareBuffer_lockPlanes");
    find(unlock, "AHardwareBuffer_unlock");
    find(get_id, "AHardwareBuffer_getId");
    find(get_memory, "nnvk_getHardwareBufferMemory");
    find(get_layout, "nnvk_HardwareBuffer_getLayout");
    find(create_from_fds, "nnvk_HardwareBuffer_createFromFds");
    find(last_error, "nnvk_HardwareBuffer_lastError");
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
  decltype(&AHardwareBuffer_getId) get_id = nullptr;            // Android 12
  // Only the libnativewindow.so of nnvk has these functions.
  decltype(&nnvk_getHardwareBufferMemory) get_memory = nullptr;
  decltype(&nnvk_HardwareBuffer_getLayout) get_layout = nullptr;
  decltype(&nnvk_HardwareBuffer_createFromFds) create_from_fds = nullptr;
  decltype(&nnvk_HardwareBuffer_lastError) last_error = nullptr;

 private:
  // Loads the library from the dynamic loader's search path, else from the folder of nnvk's library.
  static void* open(Load load) {
    constexpr const char* kName = "libnativewindow.so";
    if (void* const loaded = ::dlopen(kName, RTLD_NOW | RTLD_NOLOAD); loaded != nullptr || load == Load::kNo) return loaded;
    if (void* const found = ::dlopen(kName, RTLD_NOW); found != nullptr) return found;
    const std::filesystem::path folder = library_folder();
    return folder.empty() ? nullptr : ::dlopen((folder / kName).c_str(), RTLD_NOW);
  }

  // Finds a function in the library. Without a loaded library, searches the program (RTLD_DEFAULT), which may link the functions
  // statically.
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle_ != nullptr ? handle_ : RTLD_DEFAULT, name));
  }

  void* const handle_;
};

// A reference to a buffer for the lifetime of this object.
class HeldBuffer {
 public:
  HeldBuffer(std::unique_ptr<BufferLibrary> loaded, const AHardwareBuffer* referenced)
      : functions(std::move(loaded)), buffer(const_cast<AHardwareBuffer*>(referenced)) {  // it contains the reference count
    functions->acquire(buffer);
  }
  ~HeldBuffer() { functions->release(buffer); }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;

  const std::unique_ptr<BufferLibrary> functions;
  AHardwareBuffer* const buffer;
};

// Android's internal formats for which nnvk/hardware_buffer.h has frames.
constexpr uint32_t kFormatBgra = 5;
constexpr uint32_t kFormatNv16 = 0x10;
constexpr uint32_t kFormatYuyv = 0x14;  // and UYVY

struct PictureRow {
  uint32_t format;
  PictureFormat picture;
};
// The formats whose pixels nnvk can convert to tensors.
constexpr PictureRow kPictures[] = {
    {AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, PictureFormat::kRgba},
    {AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, PictureFormat::kRgbx},
    {AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, PictureFormat::kRgb},
    {AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, PictureFormat::kYuv420},
    {AHARDWAREBUFFER_FORMAT_YCbCr_P010, PictureFormat::kYuv420Ten},
    {AHARDWAREBUFFER_FORMAT_YCbCr_P210, PictureFormat::kYuv422Ten},
    {kFormatBgra, PictureFormat::kBgra},
    {kFormatYuyv, PictureFormat::kYuv422},
    {kFormatNv16, PictureFormat::kYuv422},
    {AHARDWAREBUFFER_FORMAT_R8_UNORM, PictureFormat::kGrey},
};

// Describes a buffer as a picture; nothing for other formats.
std::optional<PictureDescription> picture_in(const HeldBuffer& held, const AHardwareBuffer_Desc& description) {
  const auto* row = std::find_if(std::begin(kPictures), std::end(kPictures),
                                 [&](const PictureRow& known) { return known.format == description.format; });
  if (row == std::end(kPictures)) return std::nullopt;
  PictureDescription picture{row->picture, description.width, description.height};
  nnvk_FrameLayout frame{};
  frame.size = sizeof frame;
  // Android has a single number for BGRA and BGRX.
  if (picture.format == PictureFormat::kBgra && held.functions->get_layout != nullptr &&
      held.functions->get_layout(held.buffer, &frame) == 0 && frame.fourcc == NNVK_FRAME_XRGB8888) {
    picture.format = PictureFormat::kBgrx;
  }
  return picture;
}

// A buffer locked for reading.
class LockedPicture : public PicturePixels {
 public:
  // Locks the buffer. `mapping`: the mapping of the whole buffer, for devices that import it; may be null.
  static Result<std::shared_ptr<const PicturePixels>> lock(std::shared_ptr<HeldBuffer> held, uint64_t usage,
                                                           const PictureDescription& picture,
                                                           std::shared_ptr<MappedMemory> mapping) {
    AHardwareBuffer_Planes planes{};
    const int error = held->functions->lock_planes(held->buffer, usage, -1, nullptr, &planes);
    if (error != 0) return fail(Code::kUnmappable, std::string("AHardwareBuffer_lockPlanes failed: ") + std::strerror(-error));
    const std::shared_ptr<LockedPicture> locked(new LockedPicture(std::move(held)));  // unlocks from here on
    NNVK_TRY(locked->lay_out(planes, picture));
    if (mapping != nullptr && lies_in(locked->bytes_, mapping->bytes())) locked->mapping_ = std::move(mapping);
    return locked;
  }
  ~LockedPicture() override { held_->functions->unlock(held_->buffer, nullptr); }
  LockedPicture(const LockedPicture&) = delete;
  LockedPicture& operator=(const LockedPicture&) = delete;

  const PictureLayout& layout() const override { return layout_; }
  std::span<const std::byte> bytes() const override { return bytes_; }
  std::shared_ptr<MappedMemory> mapping() const override { return mapping_; }

 private:
  explicit LockedPicture(std::shared_ptr<HeldBuffer> held) : held_(std::move(held)) {}

  static bool lies_in(std::span<const std::byte> part, std::span<const std::byte> whole) {
    return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
  }

  // Computes the bytes from the first sample of all planes to the last.
  Status lay_out(const AHardwareBuffer_Planes& planes, const PictureDescription& picture) {
    const PictureFormatFacts& format = facts_of(picture.format);
    if (planes.planeCount != format.planes()) {
      return fail(Code::kUnmappable, "the hardware buffer has " + std::to_string(planes.planeCount) + " planes, " +
                                         (format.is_yuv() ? "3 are" : "1 is") + " expected of its format");
    }
    uintptr_t begin = std::numeric_limits<uintptr_t>::max();
    uintptr_t end = 0;
    for (uint32_t p = 0; p < planes.planeCount; ++p) {
      const AHardwareBuffer_Plane& plane = planes.planes[p];
      const uint64_t columns = (picture.width - 1) / format.coverage_width(p) + 1;
      const uint64_t rows = (picture.height - 1) / format.coverage_height(p) + 1;
      const auto first = reinterpret_cast<uintptr_t>(plane.data);
      begin = std::min(begin, first);
      end = std::max<uintptr_t>(end,
                                first + (rows - 1) * plane.rowStride + (columns - 1) * plane.pixelStride + format.sample_bytes);
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

  const std::shared_ptr<HeldBuffer> held_;
  PictureLayout layout_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<MappedMemory> mapping_;
};

class HardwareBufferMemory : public Memory {
 public:
  explicit HardwareBufferMemory(std::shared_ptr<HeldBuffer> held) : held_(std::move(held)) {
    held_->functions->describe(held_->buffer, &description_);
    picture_ = picture_in(*held_, description_);
  }

  Result<std::span<std::byte>> map(MapAccess access) const override {
    NNVK_TRY(require_blob(Code::kUnmappable));
    const std::lock_guard guard(mutex_);
    std::shared_ptr<MappedMemory>& mapping = is_for_cpu(access) ? locked_ : device_mapping_;
    if (mapping == nullptr) {
      NNVK_ASSIGN(mapping, is_for_cpu(access) ? lock() : map_for_device(access));
    }
    return mapping->bytes();
  }

  Status check_usable_by_cpu(MapAccess access) const override {
    if (!is_blob() || is_for_cpu(access)) return {};
    return not_for_cpu(access);
  }

  std::shared_ptr<MappedMemory> mapping(MapAccess access) const override {
    const std::lock_guard guard(mutex_);
    return is_for_cpu(access) ? locked_ : device_mapping_;
  }

  Status check_constant_range(size_t offset, size_t length) const override {
    NNVK_TRY(require_blob(Code::kBadData));
    return check_memory_range(description_.width, offset, length);
  }

  Status check_usable_for_constants() const override { return require_blob(Code::kBadData); }

  Status check_region(const MemoryUse&, const MemoryRegion& region) const override {
    if (is_blob()) return check_memory_range(description_.width, region.offset, region.length);
    if (region.offset == 0 && region.length == 0) return {};
    return fail(Code::kBadData, "a hardware buffer that is not a BLOB is used as a whole: offset and length must be 0");
  }

  const PictureDescription* picture() const override { return picture_ ? &*picture_ : nullptr; }

  // Locks the picture anew for every execution, because other processors may write it in between.
  Result<std::shared_ptr<const PicturePixels>> lock_picture() const override {
    const uint64_t usage = description_.usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK;
    if (!picture_ || usage == 0 || held_->functions->lock_planes == nullptr) {
      return fail(Code::kUnmappable, std::string("the picture cannot be read: ") +
                                         (usage == 0 ? "its buffer was allocated without AHARDWAREBUFFER_USAGE_CPU_READ"
                                                     : "its library has no AHardwareBuffer_lockPlanes"));
    }
    NNVK_TRY(check_trusted());
    return LockedPicture::lock(held_, usage, *picture_, picture_mapping());
  }

  // Returns the picture's layout, which nnvk reads once: planes do not move.
  Result<PictureExtent> picture_extent() const override {
    {
      const std::lock_guard guard(mutex_);
      if (extent_) return *extent_;
    }
    NNVK_ASSIGN(const PictureExtent extent, Memory::picture_extent());
    const std::lock_guard guard(mutex_);
    extent_ = extent;
    return extent;
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
                          ", whose bytes cannot be a tensor; use AHARDWAREBUFFER_FORMAT_BLOB (for inputs of executions also the "
                          "formats that nnvk/picture.h names)");
  }
  // Returns whether the buffer's usage permits the CPU of the client this access, too.
  bool is_for_cpu(MapAccess access) const {
    const bool write = access == MapAccess::kWrite;
    return (description_.usage & (write ? AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK : AHARDWAREBUFFER_USAGE_CPU_READ_MASK)) != 0;
  }
  static tl::unexpected<Error> not_for_cpu(MapAccess access) {
    const bool write = access == MapAccess::kWrite;
    return fail(Code::kUnmappable, std::string("the hardware buffer was allocated without AHARDWAREBUFFER_USAGE_CPU_") +
                                       (write ? "WRITE" : "READ") + " but must be " + (write ? "written" : "read"));
  }
  std::shared_ptr<MappedMemory> mapping_at(void* address, std::function<void()> end) const {
    return std::make_shared<MappedMemory>(std::span(static_cast<std::byte*>(address), description_.width), true, std::move(end));
  }

  // Checks trusted memory. Memory of frames may become shorter if the program trusts its other owners (NNVK_FRAME_TRUST_SIZE),
  // unless the user forbids it (NNVK_UNTRUSTED_MEMORY).
  Status check_trusted() const {
    static const bool is_untrusted = read_untrusted_memory();
    nnvk_HardwareBufferMemory content{};
    if (!is_untrusted || held_->functions->get_memory == nullptr) return {};
    if (held_->functions->get_memory(held_->buffer, &content) != 0 || content.mayShrink == 0) return {};
    return fail(Code::kUnmappable,
                "the frame lies in memory that may become shorter, and NNVK_UNTRUSTED_MEMORY is set: seal the memory "
                "(NNVK_FRAME_SEAL) instead of trusting it");
  }

  // Locks a BLOB. Several users may lock it at once, like shared memory, so the lock lasts as long as this memory uses it.
  Result<std::shared_ptr<MappedMemory>> lock() const {
    constexpr uint64_t kCpu = AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK;
    void* address = nullptr;
    const int error = held_->functions->lock(held_->buffer, description_.usage & kCpu, -1, nullptr, &address);
    if (error != 0) return fail(Code::kUnmappable, std::string("AHardwareBuffer_lock failed: ") + std::strerror(-error));
    return mapping_at(address, [held = held_] { held->functions->unlock(held->buffer, nullptr); });
  }

  // Returns the permanent mapping of all pages of a picture; null if the buffer's library only offers locks.
  std::shared_ptr<MappedMemory> picture_mapping() const {
    const std::lock_guard guard(mutex_);
    nnvk_HardwareBufferMemory content{};
    if (device_mapping_ == nullptr && held_->functions->get_memory != nullptr &&
        held_->functions->get_memory(held_->buffer, &content) == 0) {
      std::optional<MappedMemory::DmaBuf> dma_buf;
      if (content.dmaBuf >= 0) dma_buf = MappedMemory::DmaBuf{content.dmaBuf, content.dmaBufOffset};
      device_mapping_ = std::make_shared<MappedMemory>(
          std::span(static_cast<std::byte*>(content.address), content.size), content.writable != 0, [held = held_] {}, dma_buf);
    }
    return device_mapping_;
  }

  // Maps the buffer for a device. The GPU may read and write buffers with the usage GPU_DATA_BUFFER even if that usage excludes
  // the CPU.
  Result<std::shared_ptr<MappedMemory>> map_for_device(MapAccess access) const {
    if ((description_.usage & AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER) == 0 || held_->functions->get_memory == nullptr) {
      return not_for_cpu(access);
    }
    nnvk_HardwareBufferMemory content{};
    const int error = held_->functions->get_memory(held_->buffer, &content);
    if (error != 0 || content.size < description_.width) {
      return fail(Code::kUnmappable, std::string("the hardware buffer cannot be mapped: ") + std::strerror(-error));
    }
    return mapping_at(content.address, [held = held_] {});
  }

  const std::shared_ptr<HeldBuffer> held_;
  AHardwareBuffer_Desc description_{};
  std::optional<PictureDescription> picture_;
  mutable std::mutex mutex_;
  mutable std::optional<PictureExtent> extent_;  // guarded by mutex_
  // mutex_ guards these members. The usage of the buffer determines which of the two mappings an access needs; both may exist.
  mutable std::shared_ptr<MappedMemory> locked_;
  mutable std::shared_ptr<MappedMemory> device_mapping_;
};

}  // namespace

Result<std::unique_ptr<Memory>> make_hardware_buffer_memory(const AHardwareBuffer* buffer) {
  auto library = std::make_unique<BufferLibrary>();
  if (!library->is_complete()) {
    return fail(Code::kOpFailed, "no library with hardware buffers is loaded; link libnativewindow.so or load it before");
  }
  uint64_t id = 0;
  if (library->get_id != nullptr && library->get_id(buffer, &id) != 0) {
    return fail(Code::kBadData, "this is not a hardware buffer of the libnativewindow.so in this process");
  }
  return std::make_unique<HardwareBufferMemory>(std::make_shared<HeldBuffer>(std::move(library), buffer));
}

Result<std::unique_ptr<Memory>> make_frame_memory(const nnvk_FrameLayout& layout, std::span<const int> fds) {
  auto library = std::make_unique<BufferLibrary>(BufferLibrary::Load::kYes);
  if (!library->is_complete() || library->create_from_fds == nullptr || library->last_error == nullptr) {
    return fail(Code::kOpFailed, "nnvk's libnativewindow.so, which knows frames in descriptors, is neither loaded nor found");
  }
  nnvk_FrameLayout wanted{};
  wanted.size = layout.size;
  if (layout.size == sizeof layout) wanted = layout;  // else create_from_fds() refuses it, and reads only `size`
  if (wanted.usage == 0) wanted.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
  AHardwareBuffer* buffer = nullptr;
  const int error = library->create_from_fds(&wanted, fds.data(), static_cast<uint32_t>(fds.size()), &buffer);
  if (error != 0) {
    const Code code = error == -ENOMEM ? Code::kOutOfMemory : error == -ENOSYS ? Code::kOpFailed : Code::kBadData;
    return fail(code, library->last_error());
  }
  std::shared_ptr<HeldBuffer> held;  // destroyed after `made`, so that the library is still loaded
  const std::unique_ptr<AHardwareBuffer, decltype(library->release)> made(buffer, library->release);
  held = std::make_shared<HeldBuffer>(std::move(library), buffer);
  return std::make_unique<HardwareBufferMemory>(held);
}

}  // namespace nnvk::api
