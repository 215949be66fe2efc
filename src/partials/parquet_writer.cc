// Numbers are those of parquet.thrift in apache/parquet-format.
#include "partials/parquet_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/gzip.h"
#include "partials/packed_bits.h"
#include "partials/thrift_writer.h"

namespace stepscope {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr int kPlain = 0, kRle = 3, kDeltaBinaryPacked = 5, kRleDictionary = 8;
constexpr int kUncompressed = 0, kGzip = 2;
constexpr int kDataPage = 0, kDictionaryPage = 2;
constexpr int kOptional = 1, kUtf8 = 0;

// Of a column, as parquet.thrift numbers them.
int PhysicalType(FlatType type) {
  if (type == FlatType::kText) return 6;
  return type == FlatType::kDouble ? 5 : 2;
}

template <class T>
void AppendFixed(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  out += bytes;
}

struct Page {
  int type = kDataPage;
  int64_t values = 0;
  int encoding = kPlain;
  std::string body;
};

// The definition levels of a data page, behind their length.
void AppendLevels(std::string& out, const std::vector<bool>& present) {
  std::string levels;
  AppendRuns(levels, std::vector<uint32_t>(present.begin(), present.end()), 1);
  AppendFixed(out, static_cast<uint32_t>(levels.size()));
  out += levels;
}

Page DictionaryOf(const FlatColumn& column) {
  Page page{.type = kDictionaryPage, .values = std::ssize(column.names)};
  for (const std::string& name : column.names) {
    AppendFixed(page.body, static_cast<uint32_t>(name.size()));
    page.body += name;
  }
  return page;
}

Page DataOf(FlatType type, const FlatColumn& column) {
  Page page{.values = std::ssize(column.present)};
  AppendLevels(page.body, column.present);
  if (type == FlatType::kInt64 && !column.ints.empty()) {
    page.encoding = kDeltaBinaryPacked;
    AppendDeltas(page.body, column.ints);
  } else if (type == FlatType::kText && !column.texts.empty()) {
    page.encoding = kRleDictionary;
    const auto width = static_cast<int>(std::bit_width(column.names.size() - 1));
    page.body += static_cast<char>(width);
    AppendRuns(page.body, column.texts, width);
  }
  for (const double real : column.reals) AppendFixed(page.body, real);
  return page;
}

void AppendHeader(std::string& out, const Page& page, size_t compressed) {
  ThriftWriter header(out);
  header.Int32(1, page.type);
  header.Int32(2, std::ssize(page.body));
  header.Int32(3, static_cast<int64_t>(compressed));
  header.Struct(page.type == kDictionaryPage ? 7 : 5);
  ThriftWriter sizes(out);
  sizes.Int32(1, page.values);
  sizes.Int32(2, page.encoding);
  if (page.type == kDataPage) {
    sizes.Int32(3, kRle);
    sizes.Int32(4, kRle);
  }
  sizes.End();
  header.End();
}

struct Written {
  std::string bytes;
  int64_t last = 0;  // where the last page begins
};

Written Write(const std::vector<Page>& pages, bool compress) {
  Written written;
  for (const Page& page : pages) {
    written.last = std::ssize(written.bytes);
    const std::string body = compress ? Gzip(page.body) : page.body;
    AppendHeader(written.bytes, page, body.size());
    written.bytes += body;
  }
  return written;
}

void AppendSchema(std::string& out, const std::vector<FlatColumnInfo>& columns) {
  ThriftWriter root(out);
  root.Text(4, "schema");
  root.Int32(5, std::ssize(columns));
  root.End();
  for (const FlatColumnInfo& column : columns) {
    ThriftWriter element(out);
    element.Int32(1, PhysicalType(column.type));
    element.Int32(3, kOptional);
    element.Text(4, column.name);
    if (column.type == FlatType::kText) element.Int32(6, kUtf8);
    element.End();
  }
}

}  // namespace

Result<void> ParquetWriter::Create() {
  pending_ = kMagic;
  return file_.Create();
}

ParquetWriter::Chunk ParquetWriter::AppendChunk(FlatType type, const FlatColumn& column) {
  std::vector<Page> pages;
  if (!column.names.empty()) pages.push_back(DictionaryOf(column));
  pages.push_back(DataOf(type, column));
  const Written raw = Write(pages, false), packed = Write(pages, true);
  const bool smaller = packed.bytes.size() < raw.bytes.size();
  const Written& chosen = smaller ? packed : raw;
  const int64_t begin = written_ + std::ssize(pending_);
  pending_ += chosen.bytes;
  return {.offset = begin + chosen.last,
          .dictionary = pages.size() > 1 ? begin : 0,
          .raw_bytes = std::ssize(raw.bytes),
          .bytes = std::ssize(chosen.bytes),
          .values = std::ssize(column.present),
          .encoding = pages.back().encoding,
          .codec = smaller ? kGzip : kUncompressed};
}

Result<void> ParquetWriter::Append(const std::vector<FlatColumn>& columns) {
  Group& group = groups_.emplace_back();
  group.rows = std::ssize(columns.front().present);
  for (size_t c = 0; c < columns.size(); ++c)
    group.chunks.push_back(AppendChunk(columns_[c].type, columns[c]));
  return Flush();
}

Result<void> ParquetWriter::Flush() {
  written_ += std::ssize(pending_);
  hash_.Add(pending_);
  const auto appended = file_.Append(pending_);
  pending_.clear();
  return appended;
}

std::string ParquetWriter::Footer(
    const std::vector<std::pair<std::string, std::string>>& about) const {
  std::string out;
  ThriftWriter footer(out);
  footer.Int32(1, 2);
  footer.Structs(2, columns_.size() + 1);
  AppendSchema(out, columns_);
  int64_t rows = 0;
  for (const Group& group : groups_) rows += group.rows;
  footer.Int64(3, rows);
  footer.Structs(4, groups_.size());
  for (const Group& group : groups_) {
    int64_t bytes = 0;
    ThriftWriter row_group(out);
    row_group.Structs(1, columns_.size());
    for (size_t c = 0; c < columns_.size(); ++c) {
      const Chunk& chunk = group.chunks[c];
      bytes += chunk.raw_bytes;
      ThriftWriter of_column(out);
      of_column.Int64(2, 0);
      of_column.Struct(3);
      ThriftWriter meta(out);
      meta.Int32(1, PhysicalType(columns_[c].type));
      meta.Ints(2, 3);
      for (const int encoding : {kPlain, kRle, chunk.encoding}) meta.AppendInt(encoding);
      meta.Texts(3, 1);
      meta.AppendText(columns_[c].name);
      meta.Int32(4, chunk.codec);
      meta.Int64(5, chunk.values);
      meta.Int64(6, chunk.raw_bytes);
      meta.Int64(7, chunk.bytes);
      meta.Int64(9, chunk.offset);
      if (chunk.dictionary > 0) meta.Int64(11, chunk.dictionary);
      meta.End();
      of_column.End();
    }
    row_group.Int64(2, bytes);
    row_group.Int64(3, group.rows);
    row_group.End();
  }
  footer.Structs(5, about.size());
  for (const auto& [key, value] : about) {
    ThriftWriter pair(out);
    pair.Text(1, key);
    pair.Text(2, value);
    pair.End();
  }
  footer.Text(6, "stepscope");
  footer.End();
  return out;
}

Result<void> ParquetWriter::Commit(std::vector<std::pair<std::string, std::string>> about) {
  if (const auto flushed = Flush(); !flushed) return flushed;
  about.emplace_back(kParquetHashKey, std::string(ContentHash::kDigits, '0'));
  std::string footer = Footer(about);
  const size_t key = footer.rfind(kParquetHashKey);
  hash_.Add(std::string_view(footer).substr(0, key));
  const size_t value = footer.find(about.back().second, key);
  footer.replace(value, ContentHash::kDigits, hash_.Hex());
  pending_ += footer;
  AppendFixed(pending_, static_cast<uint32_t>(footer.size()));
  pending_ += kMagic;
  if (const auto flushed = Flush(); !flushed) return flushed;
  if (const auto finished = file_.Finish(); !finished) return finished;
  return file_.CommitAndSync();
}

}  // namespace stepscope
