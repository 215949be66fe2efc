// Fills the structs of Arrow's C interfaces.
#include "python/arrow_stream.h"

#include <cerrno>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::python {
namespace {

constexpr int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

// What a schema points to.
struct SchemaOwner {
  std::string format, name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema dictionary{};
};

// What an array points to.
struct ArrayOwner {
  std::shared_ptr<const Columns> columns;  // all of it lives as long as a part does
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  ArrowArray dictionary{};
};

struct StreamOwner {
  std::shared_ptr<const Columns> columns;
  bool done = false;
};

// Releases what has not been moved elsewhere.
template <class Struct>
void ReleaseOne(Struct& one) {
  if (one.release != nullptr) one.release(&one);
}

template <class Struct, class Owner>
void ReleaseAll(Struct* released) {
  auto* owner = static_cast<Owner*>(released->private_data);
  for (Struct& child : owner->children) ReleaseOne(child);
  ReleaseOne(owner->dictionary);
  delete owner;
  released->release = nullptr;
}

// Points `out` at what its owner holds, which it owns from then on.
void Own(SchemaOwner* owner, ArrowSchema* out) {
  for (ArrowSchema& child : owner->children) owner->pointers.push_back(&child);
  *out = {.format = owner->format.c_str(),
          .name = owner->name.c_str(),
          .metadata = nullptr,
          .flags = kNullable,
          .n_children = static_cast<int64_t>(owner->children.size()),
          .children = owner->pointers.data(),
          .dictionary = owner->dictionary.release != nullptr ? &owner->dictionary : nullptr,
          .release = ReleaseAll<ArrowSchema, SchemaOwner>,
          .private_data = owner};
}

void Own(ArrayOwner* owner, int64_t rows, int64_t nulls, ArrowArray* out) {
  for (ArrowArray& child : owner->children) owner->pointers.push_back(&child);
  *out = {.length = rows,
          .null_count = nulls,
          .offset = 0,
          .n_buffers = static_cast<int64_t>(owner->buffers.size()),
          .n_children = static_cast<int64_t>(owner->children.size()),
          .buffers = owner->buffers.data(),
          .children = owner->pointers.data(),
          .dictionary = owner->dictionary.release != nullptr ? &owner->dictionary : nullptr,
          .release = ReleaseAll<ArrowArray, ArrayOwner>,
          .private_data = owner};
}

void ExportSchema(const ColumnData& column, ArrowSchema* out) {
  auto* owner = new SchemaOwner{.format = std::string(1, static_cast<char>(column.type)),
                                .name = column.name};
  if (column.dictionary) ExportSchema(*column.dictionary, &owner->dictionary);
  Own(owner, out);
}

std::vector<const void*> BuffersOf(const ColumnData& column) {
  if (column.type == ColumnType::kNull) return {};
  std::vector<const void*> buffers = {column.valid.get(), column.values.get()};
  if (column.type == ColumnType::kText) buffers.push_back(column.text.get());
  return buffers;
}

void ExportArray(const std::shared_ptr<const Columns>& all, const ColumnData& column,
                 ArrowArray* out) {
  auto* owner = new ArrayOwner{.columns = all, .buffers = BuffersOf(column)};
  if (column.dictionary) ExportArray(all, *column.dictionary, &owner->dictionary);
  Own(owner, column.rows, column.nulls, out);
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  const auto& columns = static_cast<StreamOwner*>(stream->private_data)->columns->columns;
  auto* owner = new SchemaOwner{
      .format = "+s", .name = "", .children = std::vector<ArrowSchema>(columns.size())};
  for (size_t c = 0; c < columns.size(); ++c) ExportSchema(columns[c], &owner->children[c]);
  Own(owner, out);
  out->flags = 0;
  return 0;
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  auto* state = static_cast<StreamOwner*>(stream->private_data);
  if (std::exchange(state->done, true)) {
    out->release = nullptr;  // the end
    return 0;
  }
  const std::vector<ColumnData>& columns = state->columns->columns;
  auto* owner = new ArrayOwner{.columns = state->columns,
                               .buffers = {nullptr},
                               .children = std::vector<ArrowArray>(columns.size())};
  for (size_t c = 0; c < columns.size(); ++c)
    ExportArray(state->columns, columns[c], &owner->children[c]);
  Own(owner, state->columns->rows, 0, out);
  return 0;
}

// The functions above run in C programs, which nothing may be thrown into.
template <auto function, class Out>
int OrNoMemory(ArrowArrayStream* stream, Out* out) {
  try {
    return function(stream, out);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

const char* LastError(ArrowArrayStream*) { return nullptr; }

void ReleaseStream(ArrowArrayStream* stream) {
  delete static_cast<StreamOwner*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void ExportStream(std::shared_ptr<const Columns> columns, ArrowArrayStream* out) {
  auto* owner = new StreamOwner{.columns = std::move(columns)};
  *out = {.get_schema = OrNoMemory<GetSchema, ArrowSchema>,
          .get_next = OrNoMemory<GetNext, ArrowArray>,
          .get_last_error = LastError,
          .release = ReleaseStream,
          .private_data = owner};
}

}  // namespace stepscope::python
