// Fuzzes what inflates: gzip as files and bodies of requests have it, zlib as packets have it. Read
// in small pieces, the bytes are the same.
#include <array>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/gzip.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::gzip_fuzz {
namespace {

constexpr size_t kMost = 1 << 15;

void Fuzz(std::string_view bytes) {
  ByteSource whole = ByteSource::FromMemory(bytes);
  ReadFailure failure;
  whole.LimitInflated({.bytes = kMost, .most_ratio = 0}, &failure);
  std::string all(2 * kMost, '\0');
  all.resize(whole.Read(all));
  Require(!whole.compressed() || all.size() <= kMost);
  ByteSource parts = ByteSource::FromMemory(bytes);
  parts.LimitInflated({.bytes = kMost, .most_ratio = 0}, nullptr);
  std::string joined(parts.Peek(3));
  joined.clear();
  std::array<char, 1000> part;
  for (size_t got = part.size(); got == part.size();)
    joined.append(part.data(), got = parts.Read(part));
  Require(joined == all && parts.end() == whole.end());
  const auto zlib = InflateZlib(bytes, kMost);
  Require(zlib ? zlib->size() <= kMost : !zlib.error().what.empty());
}

const fuzz::Register kTarget({.name = "gzip", .run = &Fuzz});

}  // namespace
}  // namespace stepscope::gzip_fuzz
