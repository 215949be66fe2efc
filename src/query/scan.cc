// Hands parts of a table to DuckDB, some thousand rows at a time.
#include "query/scan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "query/fill_vector.h"

namespace stepscope::query {
namespace {

// Rows that a thread takes at once, in vectors.
constexpr int64_t kVectorsAtOnce = 32;
constexpr abi::Index kMostThreads = 256;

struct Function {
  const DuckDb* db;
  std::shared_ptr<const SqlTable> table;
  std::shared_ptr<ScanError> error;
};

// A part with what is made once for all threads.
struct Loaded {
  std::shared_ptr<const Columns> columns;
  std::vector<DictionaryVector> dictionaries;  // of each column, empty where it has none
};

// Where the columns of a scan stand: among those of the table, or nowhere where DuckDB only counts.
struct ScannedColumn {
  std::optional<size_t> in_part;
  ColumnType type = ColumnType::kNull;
};

// One scan of a table, by several threads.
class Scan {
 public:
  Scan(const Function& function, std::vector<abi::Index> asked) : function_(&function) {
    std::vector<size_t> read;
    const auto& columns = function.table->columns();
    for (const abi::Index index : asked) {
      ScannedColumn& column = columns_.emplace_back();
      if (index >= columns.size()) continue;
      column = {.in_part = read.size(), .type = columns[index].type};
      read.push_back(index);
    }
    reader_ = function.table->Read(std::move(read));
  }

  struct Piece {
    std::shared_ptr<const Loaded> loaded;
    int64_t next = 0, end = 0;
  };

  // The next rows that nobody has; none at the end.
  Result<Piece> Take() {
    const std::lock_guard lock(mutex_);
    while (!ended_ && (!loaded_ || next_ >= loaded_->columns->rows)) {
      if (const auto read = LoadNext(); !read) return std::unexpected(read.error());
    }
    if (ended_) return Piece();
    const int64_t from = next_;
    const auto most = kVectorsAtOnce * static_cast<int64_t>(db().vector_size());
    next_ = std::min(loaded_->columns->rows, from + most);
    return Piece{.loaded = loaded_, .next = from, .end = next_};
  }

  void Fill(const Loaded& loaded, int64_t from, int64_t count, abi::Chunk out) const {
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (!columns_[c].in_part) continue;
      const size_t at = *columns_[c].in_part;
      FillVector(db(), {.column = &loaded.columns->columns[at], .from = from, .count = count},
                 columns_[c].type, loaded.dictionaries[at], db().data_chunk_get_vector(out, c));
    }
    db().data_chunk_set_size(out, static_cast<abi::Index>(count));
  }

  const DuckDb& db() const { return *function_->db; }
  ScanError& error() const { return *function_->error; }

 private:
  Result<void> LoadNext() {
    loaded_.reset();
    next_ = 0;
    auto columns = reader_->Next();
    if (!columns) return std::unexpected(columns.error());
    if (!*columns) {
      ended_ = true;
      return {};
    }
    auto loaded = std::make_shared<Loaded>();
    loaded->columns = std::move(*columns);
    for (const ColumnData& column : loaded->columns->columns)
      loaded->dictionaries.emplace_back(db(), column);
    loaded_ = std::move(loaded);
    return {};
  }

  const Function* function_;
  std::vector<ScannedColumn> columns_;
  std::mutex mutex_;  // over all below
  std::unique_ptr<PartReader> reader_;
  std::shared_ptr<const Loaded> loaded_;
  int64_t next_ = 0;
  bool ended_ = false;
};

template <class T>
void DeleteOne(void* one) {
  delete static_cast<T*>(one);
}

// Bind data is the function itself, which lives as long as the database.
void BindTable(abi::BindInfo info) {
  // The library is not known before its first handle is.
  const auto* library = LoadDuckDb().value_or(nullptr);
  auto* function = static_cast<Function*>(library->bind_get_extra_info(info));
  for (const TableColumn& column : function->table->columns()) {
    TypeHandle type(*library);
    *type.out() =
        library->create_logical_type(column.boolean ? abi::kBoolean : SqlTypeOf(column.type));
    library->bind_add_result_column(info, column.name.c_str(), type.get());
  }
  if (const int64_t rows = function->table->rows(); rows > 0)
    library->bind_set_cardinality(info, static_cast<abi::Index>(rows), true);
  library->bind_set_bind_data(info, function, nullptr);
}

void StartScan(abi::InitInfo info) {
  const auto* library = LoadDuckDb().value_or(nullptr);
  const auto* function = static_cast<const Function*>(library->init_get_bind_data(info));
  std::vector<abi::Index> asked(library->init_get_column_count(info));
  for (size_t c = 0; c < asked.size(); ++c) asked[c] = library->init_get_column_index(info, c);
  library->init_set_init_data(info, new Scan(*function, std::move(asked)), &DeleteOne<Scan>);
  library->init_set_max_threads(info, kMostThreads);
}

void StartThread(abi::InitInfo info) {
  LoadDuckDb().value_or(nullptr)->init_set_init_data(info, new Scan::Piece(),
                                                     &DeleteOne<Scan::Piece>);
}

void GiveRows(abi::FunctionInfo info, abi::Chunk out) {
  const auto* library = LoadDuckDb().value_or(nullptr);
  auto* scan = static_cast<Scan*>(library->function_get_init_data(info));
  auto* piece = static_cast<Scan::Piece*>(library->function_get_local_init_data(info));
  if (piece->next >= piece->end) {
    auto taken = scan->Take();
    if (!taken) {
      scan->error().Set(taken.error());
      return library->function_set_error(info, taken.error().what.c_str());
    }
    *piece = std::move(*taken);
  }
  const int64_t count =
      std::min(piece->end - piece->next, static_cast<int64_t>(library->vector_size()));
  if (count == 0) return library->data_chunk_set_size(out, 0);
  scan->Fill(*piece->loaded, piece->next, count, out);
  piece->next += count;
}

}  // namespace

Result<void> AddFunction(Connection& connection, const std::string& name,
                         std::shared_ptr<const SqlTable> table, std::shared_ptr<ScanError> error) {
  const DuckDb& db = connection.db();
  FunctionHandle function(db);
  *function.out() = db.create_table_function();
  db.table_function_set_name(function.get(), name.c_str());
  db.table_function_set_extra_info(
      function.get(), new Function{.db = &db, .table = std::move(table), .error = std::move(error)},
      &DeleteOne<Function>);
  db.table_function_set_bind(function.get(), &BindTable);
  db.table_function_set_init(function.get(), &StartScan);
  db.table_function_set_local_init(function.get(), &StartThread);
  db.table_function_set_function(function.get(), &GiveRows);
  db.table_function_supports_projection_pushdown(function.get(), true);
  if (db.register_table_function(connection.get(), function.get()) != abi::kSuccess)
    return std::unexpected(Error{"DuckDB does not take the table '" + name + "'", "", ""});
  return {};
}

}  // namespace stepscope::query
