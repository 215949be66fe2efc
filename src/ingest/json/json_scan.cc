// Scans 64 bytes at a time. Highway compiles this file once per instruction set. The method is
// simdjson's: a bit per byte, then arithmetic on 64 bits (Langdale and Lemire, "Parsing Gigabytes
// of JSON per Second", VLDB Journal 28, 2019).
#include "ingest/json/json_scan.h"

#include <bit>
#include <cstring>
#include <utility>

#define HWY_WANT_AVX3_DL               // Ice Lake and newer: an instruction set of its own
#define HWY_DISABLED_TARGETS HWY_AVX3  // without it, no faster than AVX2
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ingest/json/json_scan.cc"
// These read this file again, in this order.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stepscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kBlock = 64;
using Bytes = hn::CappedTag<uint8_t, kBlock>;

// The one byte with this lower half that is an operator, or space. Operators are compared with
// bit 0x20 set, which makes square brackets braces.
alignas(16) constexpr uint8_t kOperators[16] = {1, 0, 0,   0,   0,   0,   0, 0,
                                                0, 0, ':', '{', ',', '}', 0, 0};
alignas(16) constexpr uint8_t kSpaces[16] = {' ', 0,    0,    0, 0, 0,    0, 0,
                                             0,   '\t', '\n', 0, 0, '\r', 0, 0};

// A bit for each byte of a block, the first one lowest.
struct Block {
  uint64_t quotes = 0, backslashes = 0, operators = 0, spaces = 0, controls = 0;
};

template <class Mask>
HWY_INLINE uint64_t BitsOf(Mask mask) {
  uint64_t bits = 0;
  hn::StoreMaskBits(Bytes(), mask, reinterpret_cast<uint8_t*>(&bits));
  return bits;
}

template <class V>
HWY_INLINE V LookUp(const uint8_t (&table)[16], V half) {
#if HWY_TARGET == HWY_SCALAR  // vectors of one byte, which Highway looks up in vectors of one byte
  return hn::Set(Bytes(), table[hn::GetLane(half)]);
#else
  return hn::TableLookupBytes(hn::LoadDup128(Bytes(), table), half);
#endif
}

// Adds the bits of all bytes to `all`.
HWY_INLINE Block Classify(const uint8_t* text, hn::Vec<Bytes>& all) {
  const Bytes d;
  Block block;
  for (size_t i = 0; i < kBlock; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, text + i);
    const auto half = hn::And(v, hn::Set(d, 0x0f));
    const auto braces = hn::Or(v, hn::Set(d, 0x20));
    block.operators |= BitsOf(hn::Eq(braces, LookUp(kOperators, half))) << i;
    block.spaces |= BitsOf(hn::Eq(v, LookUp(kSpaces, half))) << i;
    block.quotes |= BitsOf(hn::Eq(v, hn::Set(d, '"'))) << i;
    block.backslashes |= BitsOf(hn::Eq(v, hn::Set(d, '\\'))) << i;
    block.controls |= BitsOf(hn::Lt(v, hn::Set(d, 0x20))) << i;
    all = hn::Or(all, v);
  }
  return block;
}

class Scanner {
 public:
  explicit Scanner(uint32_t* out) : first_(out), out_(out), all_(hn::Zero(Bytes())) {}

  HWY_INLINE void Take(const uint8_t* text, uint32_t at) {
    const Block block = Classify(text, all_);
    const uint64_t quotes = block.quotes & ~Escaped(block.backslashes);
    const uint64_t inside = Inside(quotes);
    controls_ |= block.controls & inside;
    // A scalar goes on until a space, an operator or a string.
    const uint64_t scalars = ~(block.operators | block.spaces);
    const uint64_t plain = scalars & ~quotes;
    const uint64_t starts = scalars & ~(plain << 1 | in_scalar_);
    in_scalar_ = plain >> 63;
    Write((block.operators | starts) & ~(inside ^ quotes), at);
  }

  JsonScan Result() const {
    const auto ascii = hn::Lt(all_, hn::Set(Bytes(), 0x80));
    return {.tokens = static_cast<size_t>(out_ - first_),
            .ends_in_string = in_string_ != 0,
            .control_in_string = controls_ != 0,
            .ascii = hn::AllTrue(Bytes(), ascii)};
  }

 private:
  // The characters behind an odd number of backslashes.
  HWY_INLINE uint64_t Escaped(uint64_t backslashes) {
    if (backslashes == 0) return std::exchange(escaped_, 0);
    constexpr uint64_t kEven = 0x5555555555555555;
    backslashes &= ~escaped_;
    const uint64_t follows = backslashes << 1 | escaped_;
    const uint64_t odd_starts = backslashes & ~kEven & ~follows;
    // The carry runs through each run of backslashes that begins at an odd place, past its end.
    const uint64_t sum = odd_starts + backslashes;
    escaped_ = sum < backslashes ? 1 : 0;
    return (kEven ^ (sum << 1)) & follows;
  }

  // The characters of strings, with the opening quotes and without the closing ones.
  HWY_INLINE uint64_t Inside(uint64_t quotes) {
    for (int shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
    const uint64_t inside = quotes ^ in_string_;
    in_string_ = (inside >> 63) != 0 ? ~uint64_t{0} : 0;
    return inside;
  }

  // Writes up to 64 offsets, though fewer count.
  HWY_INLINE void Write(uint64_t bits, uint32_t at) {
    const auto count = static_cast<size_t>(std::popcount(bits));
#if HWY_TARGET == HWY_AVX3_DL
    // Highway 1.0 has no Compress of bytes; this is twice as fast as the loop below.
    const __m512i found = _mm512_maskz_compress_epi8(bits, hn::Iota(Bytes(), 0).raw);
    const __m512i base = _mm512_set1_epi32(static_cast<int>(at));
    const auto put = [&](size_t from, __m128i offsets) {
      _mm512_storeu_si512(out_ + from, _mm512_add_epi32(_mm512_cvtepu8_epi32(offsets), base));
    };
    put(0, _mm512_castsi512_si128(found));
    if (count > 16) put(16, _mm512_extracti32x4_epi32(found, 1));
    if (count > 32) {
      put(32, _mm512_extracti32x4_epi32(found, 2));
      put(48, _mm512_extracti32x4_epi32(found, 3));
    }
#else
    // Eight at a time: the number of rounds is easier to predict.
    for (size_t k = 0; k < count; k += 8) {
      for (size_t i = k; i < k + 8; ++i) {
        out_[i] = at + static_cast<uint32_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
    }
#endif
    out_ += count;
  }

  uint32_t* first_;
  uint32_t* out_;
  hn::Vec<Bytes> all_;
  uint64_t in_string_ = 0;  // all ones or none
  uint64_t in_scalar_ = 0, escaped_ = 0, controls_ = 0;
};

JsonScan Scan(const char* text, size_t size, uint32_t* offsets) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text);
  Scanner scanner(offsets);
  size_t at = 0;
  for (; at + kBlock <= size; at += kBlock) scanner.Take(bytes + at, static_cast<uint32_t>(at));
  if (at < size) {
    uint8_t rest[kBlock];
    std::memset(rest, ' ', sizeof rest);
    std::memcpy(rest, bytes + at, size - at);
    scanner.Take(rest, static_cast<uint32_t>(at));
  }
  return scanner.Result();
}

}  // namespace
}  // namespace stepscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stepscope {
namespace {

// Highway's own choice needs its library, which measures the clock for 4 ms whenever a program
// starts. On other processors than x86 the set that all have is taken.
std::vector<JsonScanner> ScannersOfThisProcessor() {
  std::vector<JsonScanner> scanners;
#if HWY_TARGETS & HWY_AVX3_DL
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
      __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq") &&
      __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("bmi2"))
    scanners.push_back({"AVX-512", &N_AVX3_DL::Scan});
#endif
#if HWY_TARGETS & HWY_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("pclmul"))
    scanners.push_back({"AVX2", &N_AVX2::Scan});
#endif
#if HWY_TARGETS & HWY_SSE4
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
    scanners.push_back({"SSE4", &N_SSE4::Scan});
#endif
  scanners.push_back({"plain", &HWY_STATIC_DISPATCH(Scan)});
  return scanners;
}

}  // namespace

const std::vector<JsonScanner>& JsonScanners() {
  static const std::vector<JsonScanner> scanners = ScannersOfThisProcessor();
  return scanners;
}

JsonScan ScanJson(const char* text, size_t size, uint32_t* offsets) {
  return JsonScanners().front().scan(text, size, offsets);
}

}  // namespace stepscope
#endif
