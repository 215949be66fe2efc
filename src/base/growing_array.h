// Holds a growable array for large data, such as the columns of a trace: append, index, view as a
// span.
//
// Unlike std::vector it grows without copying once it is large: pages are remapped, so the peak is
// the size of the data and not twice that, and large columns sit on huge pages (a page fault costs
// about 2 us on a virtual machine; a column of a million values would take two thousand of them).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace stepscope {

// Raw memory that grows in place where it can. Owns it; movable, not copyable.
class GrowingMemory {
 public:
  GrowingMemory() = default;
  GrowingMemory(GrowingMemory&& other) noexcept { Swap(other); }
  GrowingMemory& operator=(GrowingMemory&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~GrowingMemory();

  void* data() const { return data_; }
  size_t capacity() const { return capacity_; }  // bytes

  // Makes room for at least `bytes`. Throws std::bad_alloc when the system has no more.
  void Grow(size_t bytes);

  // Gives about the first `bytes` back to the system: they read as zeros from then on.
  void Release(size_t bytes);

 private:
  void Swap(GrowingMemory& other) {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(mapped_, other.mapped_);
    std::swap(let_go_, other.let_go_);
  }

  void* data_ = nullptr;
  size_t capacity_ = 0;
  size_t let_go_ = 0;    // bytes
  bool mapped_ = false;  // from mmap, else from malloc
};

template <class T>
  requires std::is_trivially_copyable_v<T>
class GrowingArray {
 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&&) noexcept = default;
  GrowingArray& operator=(GrowingArray&&) noexcept = default;
  GrowingArray(const GrowingArray& other) { Append(other.view()); }
  GrowingArray& operator=(const GrowingArray& other) { return *this = GrowingArray(other); }

  void Append(T value) {
    if ((size_ + 1) * sizeof(T) > memory_.capacity()) memory_.Grow((size_ + 1) * sizeof(T));
    data()[size_++] = value;
  }

  // To fill in any order: new values are undefined. Of a large array memory is taken only as they
  // are written.
  void Resize(size_t size) {
    if (size * sizeof(T) > memory_.capacity()) memory_.Grow(size * sizeof(T));
    size_ = size;
  }

  void Append(std::span<const T> values) {
    if (values.empty()) return;
    std::ranges::copy(values, Room(values.size()));
    Extend(values.size());
  }

  // Room for `count` values behind the last, to be filled at once; Extend() makes the first of them
  // part of the array.
  T* Room(size_t count) {
    const size_t wanted = (size_ + count) * sizeof(T);
    if (wanted > memory_.capacity()) memory_.Grow(wanted);
    return data() + size_;
  }
  // REQUIRES: that there was room for them, and that they were filled.
  void Extend(size_t count) { size_ += count; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t bytes() const { return size_ * sizeof(T); }
  const T& operator[](size_t i) const { return data()[i]; }
  T& operator[](size_t i) { return data()[i]; }
  std::span<const T> view() const { return {data(), size_}; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

  // For who reads it once, from the front: memory of the first `count` is no longer needed. They
  // read as zeros from then on, or as they were.
  void Release(size_t count) { memory_.Release(count * sizeof(T)); }

 private:
  T* data() const { return static_cast<T*>(memory_.data()); }

  GrowingMemory memory_;
  size_t size_ = 0;
};

}  // namespace stepscope
