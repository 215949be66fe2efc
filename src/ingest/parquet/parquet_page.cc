// Uncompresses with snappy, and with what inflates all other gzip.
#include "ingest/parquet/parquet_page.h"

#include <fmt/format.h>
#include <snappy.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/byte_source.h"
#include "base/stop.h"

namespace stepscope {
namespace {

constexpr int64_t kUncompressed = 0, kSnappy = 1, kGzip = 2;
constexpr std::array<std::string_view, 8> kCodecs = {"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                                     "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};

// What a byte can expand to: 64 bytes for three in snappy, 1032 for one in deflate.
int64_t MostBytes(int64_t codec, size_t compressed) {
  return (codec == kSnappy ? 22 : 1032) * static_cast<int64_t>(compressed) + 64;
}

std::unexpected<Error> DamagedPage(std::string_view why) {
  return std::unexpected(Error{fmt::format("cannot read the Parquet file: {}", why), "", ""});
}

bool UncompressSnappy(std::string_view bytes, std::string& out) {
  size_t size = 0;
  return snappy::GetUncompressedLength(bytes.data(), bytes.size(), &size) && size == out.size() &&
         snappy::RawUncompress(bytes.data(), bytes.size(), out.data());
}

bool UncompressGzip(std::string_view bytes, std::string& out) {
  ByteSource source = ByteSource::FromMemory(bytes);
  return source.compressed() && source.Read(std::span(out)) == out.size();
}

}  // namespace

Result<void> CheckParquetCodec(int64_t codec) {
  if (codec == kUncompressed || codec == kSnappy || codec == kGzip) return {};
  const bool known = codec >= 0 && codec < static_cast<int64_t>(kCodecs.size());
  return std::unexpected(Error{fmt::format("cannot read the Parquet file: it is compressed with {}",
                                           known ? std::string(kCodecs[static_cast<size_t>(codec)])
                                                 : fmt::format("unknown codec {}", codec)),
                               "", "write it with compression snappy, gzip or none"});
}

Result<std::optional<ParquetPage>> ParquetPages::Next() {
  if (rest_.empty()) return std::nullopt;
  StopIfAsked();
  const auto header = TakeParquetPageHeader(rest_);
  if (!header) return DamagedPage("the header of a page is damaged");
  ParquetPage page{.header = *header};
  const auto size = static_cast<uint64_t>(header->compressed_bytes);
  if (size > rest_.size()) return DamagedPage("a page is longer than its column");
  std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  int64_t left = header->uncompressed_bytes;
  bool compressed = codec_ != kUncompressed;
  if (header->type == static_cast<int64_t>(ParquetPageType::kDataV2)) {
    if (header->definition_bytes > header->compressed_bytes ||
        header->repetition_bytes > header->compressed_bytes - header->definition_bytes) {
      return DamagedPage("the levels of a page are longer than the page");
    }
    const int64_t levels = header->definition_bytes + header->repetition_bytes;
    page.levels = bytes.substr(static_cast<size_t>(header->repetition_bytes),
                               static_cast<size_t>(header->definition_bytes));
    bytes.remove_prefix(static_cast<size_t>(levels));
    left -= levels;
    compressed = compressed && header->compressed;
  }
  if (!compressed || bytes.empty()) {
    page.body = bytes;
    return page;
  }
  const auto body = Uncompress(bytes, left);
  if (!body) return std::unexpected(body.error());
  page.body = *body;
  return page;
}

Result<std::string_view> ParquetPages::Uncompress(std::string_view bytes, int64_t size) {
  if (size < 0 || size > MostBytes(codec_, bytes.size())) {
    return DamagedPage("a page claims more bytes than its compression can hold");
  }
  held_.resize(static_cast<size_t>(size));
  const bool done =
      codec_ == kSnappy ? UncompressSnappy(bytes, held_) : UncompressGzip(bytes, held_);
  if (!done) return DamagedPage("the compressed data of a page is damaged");
  return std::string_view(held_);
}

}  // namespace stepscope
