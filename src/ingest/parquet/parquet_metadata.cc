// Walks the structs of parquet.thrift by the numbers of their fields.
#include "ingest/parquet/parquet_metadata.h"

#include <algorithm>

#include "ingest/parquet/thrift_compact.h"

namespace stepscope {
namespace {

constexpr int64_t kRepeated = 2;

struct SchemaElement {
  std::string_view name;
  int64_t type = -1;  // absent: a group
  int64_t repetition = 0;
  int64_t children = 0;
};

bool TakeElement(ThriftReader& in, ThriftType type, SchemaElement& element) {
  return in.TakeStruct(type, [&](int64_t id, ThriftType field) {
    if (id == 1) return in.TakeInt(field, element.type);
    if (id == 3) return in.TakeInt(field, element.repetition);
    if (id == 4) return in.TakeText(field, element.name);
    return id == 5 && in.TakeInt(field, element.children);
  });
}

// Which elements are flat columns: those right below the root that have no children. The list is
// in depth-first order; `open` counts the elements that are still to come inside a group.
std::vector<ParquetColumnInfo> FlatColumns(const std::vector<SchemaElement>& schema) {
  std::vector<ParquetColumnInfo> columns;
  int64_t open = 0;
  for (size_t i = 1; i < schema.size(); ++i) {
    const SchemaElement& element = schema[i];
    const bool inside = open > 0;
    open = std::max<int64_t>(0, open - 1);
    if (element.children > 0) {
      open += std::min(element.children, static_cast<int64_t>(schema.size()));
      continue;
    }
    if (inside || element.repetition == kRepeated) continue;
    if (element.type < 0 || element.type > static_cast<int64_t>(ParquetType::kFixedByteArray)) {
      continue;
    }
    columns.push_back({.name = std::string(element.name),
                       .type = static_cast<ParquetType>(element.type),
                       .optional = element.repetition == 1});
  }
  return columns;
}

struct RawChunk {
  ParquetChunk chunk;
  std::vector<std::string_view> path;
  int64_t dictionary = 0;
};

bool TakeColumnMetadata(ThriftReader& in, ThriftType type, RawChunk& raw) {
  return in.TakeStruct(type, [&](int64_t id, ThriftType field) {
    if (id == 3) {
      return in.TakeList(
          field, [&](ThriftType element) { return in.TakeText(element, raw.path.emplace_back()); });
    }
    if (id == 4) return in.TakeInt(field, raw.chunk.codec);
    if (id == 5) return in.TakeInt(field, raw.chunk.values);
    if (id == 7) return in.TakeInt(field, raw.chunk.bytes);
    if (id == 9) return in.TakeInt(field, raw.chunk.offset);
    return id == 11 && in.TakeInt(field, raw.dictionary);
  });
}

// Old writers leave 0 where there is no dictionary.
ParquetChunk ChunkOf(RawChunk raw) {
  if (raw.dictionary > 0) raw.chunk.offset = std::min(raw.chunk.offset, raw.dictionary);
  if (raw.path.size() == 1) raw.chunk.column = raw.path.front();
  return std::move(raw.chunk);
}

bool TakeRowGroup(ThriftReader& in, ThriftType type, ParquetRowGroup& group) {
  return in.TakeStruct(type, [&](int64_t id, ThriftType field) {
    if (id == 3) return in.TakeInt(field, group.rows);
    return id == 1 && in.TakeList(field, [&](ThriftType element) {
      RawChunk raw;
      const bool taken = in.TakeStruct(element, [&](int64_t inner, ThriftType inner_type) {
        return inner == 3 && TakeColumnMetadata(in, inner_type, raw);
      });
      group.chunks.push_back(ChunkOf(std::move(raw)));
      return taken;
    });
  });
}

bool TakePair(ThriftReader& in, ThriftType type, std::pair<std::string, std::string>& pair) {
  std::string_view key, value;
  const bool taken = in.TakeStruct(type, [&](int64_t id, ThriftType field) {
    return id == 1 ? in.TakeText(field, key) : id == 2 && in.TakeText(field, value);
  });
  pair = {std::string(key), std::string(value)};
  return taken;
}

}  // namespace

const std::string* ParquetMetadata::About(std::string_view key) const {
  const auto found = std::ranges::find(about, key, &std::pair<std::string, std::string>::first);
  return found == about.end() ? nullptr : &found->second;
}

Result<ParquetMetadata> ReadParquetMetadata(std::string_view bytes) {
  ThriftReader in(bytes);
  ParquetMetadata metadata;
  std::vector<SchemaElement> schema;
  in.Struct([&](int64_t id, ThriftType type) {
    if (id == 2) {
      return in.TakeList(type, [&](ThriftType element) {
        return TakeElement(in, element, schema.emplace_back());
      });
    }
    if (id == 3) return in.TakeInt(type, metadata.rows);
    if (id == 5) {
      return in.TakeList(type, [&](ThriftType element) {
        return TakePair(in, element, metadata.about.emplace_back());
      });
    }
    return id == 4 && in.TakeList(type, [&](ThriftType element) {
      return TakeRowGroup(in, element, metadata.groups.emplace_back());
    });
  });
  if (!in.ok() || schema.empty()) {
    return std::unexpected(Error{"cannot read the Parquet file: its metadata is damaged", "", ""});
  }
  metadata.columns = FlatColumns(schema);
  return metadata;
}

std::optional<ParquetPageHeader> TakeParquetPageHeader(std::string_view& bytes) {
  ThriftReader in(bytes);
  ParquetPageHeader header;
  const auto sizes = [&](int64_t id, ThriftType type) {  // of pages of version 1 and dictionaries
    if (id == 1) return in.TakeInt(type, header.values);
    if (id == 2) return in.TakeInt(type, header.encoding);
    return id == 3 && in.TakeInt(type, header.level_encoding);
  };
  const auto sizes_v2 = [&](int64_t id, ThriftType type) {
    if (id == 1) return in.TakeInt(type, header.values);
    if (id == 4) return in.TakeInt(type, header.encoding);
    if (id == 5) return in.TakeInt(type, header.definition_bytes);
    if (id == 6) return in.TakeInt(type, header.repetition_bytes);
    return id == 7 && in.TakeBool(type, header.compressed);
  };
  in.Struct([&](int64_t id, ThriftType type) {
    if (id == 1) return in.TakeInt(type, header.type);
    if (id == 2) return in.TakeInt(type, header.uncompressed_bytes);
    if (id == 3) return in.TakeInt(type, header.compressed_bytes);
    if (id == 5 || id == 7) return in.TakeStruct(type, sizes);
    return id == 8 && in.TakeStruct(type, sizes_v2);
  });
  const int64_t least = std::min({header.uncompressed_bytes, header.compressed_bytes, header.values,
                                  header.definition_bytes, header.repetition_bytes});
  if (!in.ok() || least < 0) return std::nullopt;
  bytes = in.rest();
  return header;
}

}  // namespace stepscope
