// Grows columns: malloc while they are small, remapped pages once they are large.
#include "base/growing_array.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace stepscope {
namespace {

// From here on memory comes in pages of its own. Below, a column per rank and field on 2 MB pages
// would cost a small job more memory than its data.
constexpr size_t kMapFrom = size_t{4} << 20;

// Memory goes back in such pieces: a large page that is given back in part costs time to split.
constexpr size_t kPage = size_t{2} << 20;

void* MapPages(size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  madvise(pages, bytes, MADV_HUGEPAGE);  // a wish: without huge pages it is slower, not wrong
  return pages;
}

}  // namespace

GrowingMemory::~GrowingMemory() {
  if (mapped_) {
    munmap(data_, capacity_);
  } else {
    std::free(data_);
  }
}

void GrowingMemory::Grow(size_t bytes) {
  const size_t wanted = std::bit_ceil(std::max({bytes, capacity_ + 1, size_t{64}}));
  if (mapped_) {
    void* moved = mremap(data_, capacity_, wanted, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) throw std::bad_alloc();
    madvise(moved, wanted, MADV_HUGEPAGE);
    data_ = moved;
  } else if (wanted < kMapFrom) {
    void* larger = std::realloc(data_, wanted);
    if (larger == nullptr) throw std::bad_alloc();
    data_ = larger;
  } else {
    void* pages = MapPages(wanted);
    if (capacity_ != 0) std::memcpy(pages, data_, capacity_);
    std::free(data_);
    data_ = pages;
    mapped_ = true;
  }
  capacity_ = wanted;
}

void GrowingMemory::Release(size_t bytes) {
  const size_t whole = bytes / kPage * kPage;
  if (!mapped_ || whole <= let_go_) return;
  madvise(static_cast<char*>(data_) + let_go_, whole - let_go_, MADV_DONTNEED);
  let_go_ = whole;
}

}  // namespace stepscope
