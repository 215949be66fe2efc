// Finds the footer at the end of the file, and reads the chunks of each column that is asked for.
#include "ingest/parquet/parquet_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/content_hash.h"
#include "base/stop.h"

namespace stepscope {
namespace {

constexpr size_t kTailBytes = 8;  // length of the footer, and the magic again
constexpr int64_t kMostRowsPerByte = 64;

std::unexpected<Error> CannotRead(std::string why) {
  return std::unexpected(Error{"cannot read the Parquet file: " + std::move(why), "", ""});
}

}  // namespace

// `offset` and `count` are what the file claims.
Result<std::string> ParquetFile::Bytes(int64_t offset, int64_t count) {
  const auto size = static_cast<int64_t>(source_.size());
  if (offset < 0 || count < 0 || offset > size || count > size - offset)
    return CannotRead("it ends before all of its data");
  std::string bytes(static_cast<size_t>(count), '\0');
  if (source_.ReadAt(static_cast<uint64_t>(offset), bytes) != bytes.size())
    return CannotRead("it ends before all of its data");
  return bytes;
}

Result<ParquetFile> ParquetFile::Open(ByteSource source) {
  ParquetFile file(std::move(source));
  if (const auto taken = file.TakeMetadata(); !taken) return std::unexpected(taken.error());
  return file;
}

Result<void> ParquetFile::TakeMetadata() {
  if (!source_.CanSeek()) return CannotRead("it is compressed as a whole, or comes through a pipe");
  const auto size = static_cast<int64_t>(source_.size());
  const auto tail = Bytes(size - static_cast<int64_t>(kTailBytes), kTailBytes);
  if (!tail) return std::unexpected(tail.error());
  if (tail->ends_with("PARE")) return CannotRead("it is encrypted");
  if (!tail->ends_with(kParquetMagic)) return CannotRead("its end is missing");
  uint32_t length = 0;
  std::memcpy(&length, tail->data(), sizeof length);
  const auto footer = Bytes(size - static_cast<int64_t>(kTailBytes) - length, length);
  if (!footer) return std::unexpected(footer.error());
  footer_bytes_ = length;
  footer_ = size - static_cast<int64_t>(kTailBytes) - footer_bytes_;
  auto metadata = ReadParquetMetadata(*footer);
  if (!metadata) return std::unexpected(metadata.error());
  int64_t rows = 0;
  const int64_t most = size * kMostRowsPerByte;
  for (const ParquetRowGroup& group : metadata->groups) {
    if (group.rows < 0 || group.rows > most - rows)
      return CannotRead(fmt::format("it claims more than {} rows per byte", kMostRowsPerByte));
    rows += group.rows;
  }
  metadata->rows = rows;
  metadata_ = *std::move(metadata);
  return {};
}

Result<ParquetColumn> ParquetFile::ReadColumn(std::span<const ParquetRowGroup> groups,
                                              const ParquetColumnInfo& info) {
  if (info.type == ParquetType::kInt96 || info.type == ParquetType::kFixedByteArray)
    return CannotRead(fmt::format("column '{}' is of a type that is not supported", info.name));
  ParquetColumn column{.info = info};
  ParquetValues values(column);
  for (const ParquetRowGroup& group : groups) {
    StopIfAsked();
    const auto chunk = std::ranges::find(group.chunks, info.name, &ParquetChunk::column);
    if (chunk == group.chunks.end() || chunk->values != group.rows)
      return CannotRead(fmt::format("column '{}' lacks rows", info.name));
    if (const auto codec = CheckParquetCodec(chunk->codec); !codec)
      return std::unexpected(codec.error());
    const auto bytes = Bytes(chunk->offset, chunk->bytes);
    if (!bytes) return std::unexpected(bytes.error());
    if (const auto read = values.Append(*bytes, *chunk); !read)
      return std::unexpected(read.error());
  }
  return column;
}

const ParquetColumn* ParquetTable::Find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      columns, [&](const ParquetColumn& column) { return column.info.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

Result<ParquetTable> ParquetFile::ReadGroups(std::span<const ParquetRowGroup> groups,
                                             std::span<const std::string_view> names) {
  ParquetTable table;
  for (const ParquetRowGroup& group : groups) table.rows += group.rows;
  for (const std::string_view name : names) {
    const auto info = std::ranges::find(metadata_.columns, name, &ParquetColumnInfo::name);
    if (info == metadata_.columns.end()) continue;
    auto column = ReadColumn(groups, *info);
    if (!column) return std::unexpected(column.error());
    table.columns.push_back(*std::move(column));
  }
  return table;
}

Result<ParquetTable> ParquetFile::Read(size_t group, std::span<const std::string_view> names) {
  return ReadGroups(std::span(metadata_.groups).subspan(group, 1), names);
}

Result<ParquetTable> ParquetFile::ReadAll(std::span<const std::string_view> names) {
  return ReadGroups(metadata_.groups, names);
}

Result<std::string> ParquetFile::HashBefore(std::string_view text) {
  constexpr int64_t kPiece = 1 << 20;
  const auto footer = Bytes(footer_, footer_bytes_);
  if (!footer) return footer;
  const size_t place = footer->rfind(text);
  if (place == std::string::npos) return CannotRead("its metadata has no hash");
  ContentHash hash;
  const int64_t end = footer_ + static_cast<int64_t>(place);
  for (int64_t at = 0; at < end; at += kPiece) {
    StopIfAsked();
    const auto piece = Bytes(at, std::min(kPiece, end - at));
    if (!piece) return piece;
    hash.Add(*piece);
  }
  return hash.Hex();
}

Result<ParquetTable> ReadParquet(ByteSource source, std::span<const std::string_view> names) {
  auto file = ParquetFile::Open(std::move(source));
  if (!file) return std::unexpected(file.error());
  return file->ReadAll(names);
}

}  // namespace stepscope
