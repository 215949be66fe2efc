// Writes rows as a file of Arrow IPC, which pandas, Polars and DuckDB call Feather 2.
//
// Format: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format; numbers of fields and
// of types are those of https://github.com/apache/arrow/tree/main/format (Schema.fbs, Message.fbs,
// File.fbs).
#include <array>
#include <utility>

#include "query/flat_buffer.h"
#include "query/row_writer.h"

namespace stepscope::query {
namespace {

using Ref = FlatBuffer::Ref;

constexpr std::string_view kMagic = "ARROW1";
constexpr int16_t kVersion5 = 4;
enum : uint8_t { kTypeInt = 2, kTypeFloat = 3, kTypeUtf8 = 5, kTypeBool = 6 };
enum : uint8_t { kHeaderSchema = 1, kHeaderBatch = 3 };

// Where a message lies in the file.
struct Block {
  int64_t offset;
  int32_t header;
  int32_t padding = 0;
  int64_t body;
};
static_assert(sizeof(Block) == 24);

size_t Padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

// Bytes of a number.
size_t WidthOf(ColumnType type) {
  switch (type) {
    case ColumnType::kInt8:
      return 1;
    case ColumnType::kInt16:
      return 2;
    case ColumnType::kInt32:
      return 4;
    default:
      return 8;
  }
}

std::pair<uint8_t, Ref> TypeOf(FlatBuffer& buffer, const QueryColumn& column) {
  const bool real = column.type == ColumnType::kDouble, text = column.type == ColumnType::kText;
  FlatBuffer::Table type(buffer);
  if (column.boolean) return {kTypeBool, type.Finish()};
  if (text) return {kTypeUtf8, type.Finish()};
  if (real) {
    type.Number<int16_t>(0, 2);  // double
    return {kTypeFloat, type.Finish()};
  }
  type.Number<int32_t>(0, static_cast<int32_t>(8 * WidthOf(column.type)));
  type.Number<uint8_t>(1, 1);  // with a sign
  return {kTypeInt, type.Finish()};
}

Ref SchemaOf(FlatBuffer& buffer, const std::vector<QueryColumn>& columns) {
  std::vector<Ref> fields;
  for (const QueryColumn& column : columns) {
    const Ref name = buffer.String(column.name);
    const Ref children = buffer.References({});
    const auto [type, of_type] = TypeOf(buffer, column);
    FlatBuffer::Table field(buffer);
    field.Reference(0, name);
    field.Number<uint8_t>(1, 1);  // may have no value
    field.Number<uint8_t>(2, type);
    field.Reference(3, of_type);
    field.Reference(5, children);
    fields.push_back(field.Finish());
  }
  const Ref all = buffer.References(fields);
  FlatBuffer::Table schema(buffer);
  schema.Number<int16_t>(0, 0);  // little-endian
  schema.Reference(1, all);
  return schema.Finish();
}

std::string Message(FlatBuffer& buffer, uint8_t kind, Ref header, int64_t body) {
  FlatBuffer::Table message(buffer);
  message.Number<int64_t>(3, body);
  message.Reference(2, header);
  message.Number<int16_t>(0, kVersion5);
  message.Number<uint8_t>(1, kind);
  return buffer.Finish(message.Finish());
}

// The buffers of a batch, one behind the other.
class Body {
 public:
  void Add(std::string_view bytes) {
    Number(static_cast<int64_t>(bytes_.size()), static_cast<int64_t>(bytes.size()), buffers_);
    bytes_ += bytes;
    bytes_.resize(Padded(bytes_.size()));
  }
  void AddColumn(const QueryColumn& column, const ColumnData& data) {
    Number(data.rows, data.nulls, nodes_);
    const size_t valid = data.nulls > 0 ? static_cast<size_t>(data.rows + 7) / 8 : 0;
    Add({data.valid.As<char>(), valid});
    if (data.type == ColumnType::kText) return AddTexts(data);
    if (column.boolean) return AddBits(data);
    Add({data.values.As<char>(), static_cast<size_t>(data.rows) * WidthOf(data.type)});
  }

  const std::string& bytes() const { return bytes_; }
  const std::string& nodes() const { return nodes_; }
  const std::string& buffers() const { return buffers_; }

 private:
  static void Number(int64_t first, int64_t second, std::string& to) {
    const std::array pair = {first, second};
    to.append(reinterpret_cast<const char*>(pair.data()), sizeof pair);
  }
  // 32-bit offsets, which every reader takes: a part has far less text.
  void AddTexts(const ColumnData& data) {
    std::vector<int32_t> offsets;
    for (int64_t row = 0; row <= data.rows; ++row)
      offsets.push_back(static_cast<int32_t>(data.values.As<int64_t>()[row]));
    Add({reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(int32_t)});
    Add({data.text.As<char>(), static_cast<size_t>(offsets.back())});
  }
  void AddBits(const ColumnData& data) {
    std::string bits(static_cast<size_t>(data.rows + 7) / 8, '\0');
    for (int64_t row = 0; row < data.rows; ++row) {
      char& byte = bits[static_cast<size_t>(row) / 8];
      if (data.values.As<int8_t>()[row] != 0) byte = static_cast<char>(byte | 1 << row % 8);
    }
    Add(bits);
  }

  std::string bytes_, nodes_, buffers_;
};

class ArrowWriter : public RowWriter {
 public:
  explicit ArrowWriter(std::vector<QueryColumn> columns) : columns_(std::move(columns)) {}

  void Begin(std::string& out) override {
    Write(kMagic, out);
    Write(std::string_view("\0\0", 2), out);
    FlatBuffer buffer;
    const Ref schema = SchemaOf(buffer, columns_);
    WriteMessage(Message(buffer, kHeaderSchema, schema, 0), out);
  }

  void Add(const Columns& part, std::string& out) override {
    Body body;
    for (size_t c = 0; c < columns_.size(); ++c) body.AddColumn(columns_[c], part.columns[c]);
    FlatBuffer buffer;
    const Ref buffers = buffer.Structs(body.buffers(), 16);
    const Ref nodes = buffer.Structs(body.nodes(), 16);
    FlatBuffer::Table batch(buffer);
    batch.Number<int64_t>(0, part.rows);
    batch.Reference(1, nodes);
    batch.Reference(2, buffers);
    const auto length = static_cast<int64_t>(body.bytes().size());
    Block block{.offset = written_, .header = 0, .body = length};
    block.header = WriteMessage(Message(buffer, kHeaderBatch, batch.Finish(), length), out);
    blocks_.append(reinterpret_cast<const char*>(&block), sizeof block);
    Write(body.bytes(), out);
  }

  void End(const WrittenRows&, std::string& out) override {
    constexpr uint32_t kEnd[] = {0xffffffff, 0};
    Write({reinterpret_cast<const char*>(kEnd), sizeof kEnd}, out);
    FlatBuffer buffer;
    const Ref batches = buffer.Structs(blocks_, sizeof(Block));
    const Ref dictionaries = buffer.Structs({}, sizeof(Block));
    const Ref schema = SchemaOf(buffer, columns_);
    FlatBuffer::Table footer(buffer);
    footer.Reference(1, schema);
    footer.Reference(2, dictionaries);
    footer.Reference(3, batches);
    footer.Number<int16_t>(0, kVersion5);
    const std::string bytes = buffer.Finish(footer.Finish());
    const auto length = static_cast<uint32_t>(bytes.size());
    Write(bytes, out);
    Write({reinterpret_cast<const char*>(&length), sizeof length}, out);
    Write(kMagic, out);
  }

 private:
  void Write(std::string_view bytes, std::string& out) {
    out += bytes;
    written_ += static_cast<int64_t>(bytes.size());
  }
  // Returns the length of all but the body.
  int32_t WriteMessage(const std::string& message, std::string& out) {
    const std::string padding(Padded(message.size()) - message.size(), '\0');
    const auto length = static_cast<uint32_t>(message.size() + padding.size());
    const uint32_t front[] = {0xffffffff, length};
    Write({reinterpret_cast<const char*>(front), sizeof front}, out);
    Write(message, out);
    Write(padding, out);
    return static_cast<int32_t>(sizeof front + length);
  }

  std::vector<QueryColumn> columns_;
  std::string blocks_;
  int64_t written_ = 0;
};

}  // namespace

std::unique_ptr<RowWriter> MakeArrowWriter(std::vector<QueryColumn> columns) {
  return std::make_unique<ArrowWriter>(std::move(columns));
}

}  // namespace stepscope::query
