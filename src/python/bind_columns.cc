// Binds columns: as lists, as NumPy arrays without a copy, and as a stream of Arrow's.
#include "python/bind_columns.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "python/arrow_stream.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/text.h"

namespace stepscope::python {
namespace {

struct SharedColumns {
  std::shared_ptr<const Columns> columns;
};

const ColumnData& Find(const SharedColumns& self, const std::string& name) {
  const auto& columns = self.columns->columns;
  const auto found = std::ranges::find(columns, name, &ColumnData::name);
  if (found == columns.end())
    Raise({"there is no column '" + name + "'", "", ""}, Fault::kQuestion);
  return *found;
}

nb::object ValueAt(const ColumnData& column, int64_t row) {
  if (column.type == ColumnType::kText) return TextOf(column.TextAt(row));
  if (column.type == ColumnType::kDouble) return nb::float_(column.values.As<double>()[row]);
  return nb::int_(column.WholeAt(row));
}

// A list of what at(row) gives, made in its length: a sanitizer moves one that grows each time.
template <class At>
nb::list ListBy(int64_t rows, At at) {
  auto list = nb::steal<nb::list>(PyList_New(rows));
  if (!list.is_valid()) throw nb::python_error();
  for (int64_t row = 0; row < rows; ++row)
    PyList_SetItem(list.ptr(), row, nb::object(at(row)).release().ptr());  // takes the reference
  return list;
}

nb::list ListOf(const ColumnData& column);

// Each text of a dictionary is one object, however many rows have it.
nb::list ListByDictionary(const ColumnData& column) {
  const nb::list texts = ListOf(*column.dictionary);
  return ListBy(column.rows, [&](int64_t row) -> nb::object {
    if (column.IsNull(row)) return nb::none();
    return texts[static_cast<size_t>(column.WholeAt(row))];
  });
}

nb::list ListOf(const ColumnData& column) {
  if (column.dictionary) return ListByDictionary(column);
  return ListBy(column.rows, [&](int64_t row) {
    return column.IsNull(row) ? nb::none() : ValueAt(column, row);
  });
}

nb::dict ToDict(const SharedColumns& self) {
  nb::dict all;
  for (const ColumnData& column : self.columns->columns) all[TextOf(column.name)] = ListOf(column);
  return all;
}

nb::list Keys(const SharedColumns& self) {
  nb::list keys;
  for (const ColumnData& column : self.columns->columns) keys.append(TextOf(column.name));
  return keys;
}

// An array of NumPy's over the buffer, which lives as long as the array.
template <class T>
nb::object ArrayOver(const Buffer& buffer, int64_t rows) {
  auto* owned = new std::shared_ptr<const void>(buffer.data);
  const nb::capsule owner(
      owned, [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(buffer.As<T>(),
                                                               {static_cast<size_t>(rows)}, owner));
}

nb::object NumbersOf(const ColumnData& column) {
  switch (column.type) {
    case ColumnType::kInt8:
      return ArrayOver<int8_t>(column.values, column.rows);
    case ColumnType::kInt16:
      return ArrayOver<int16_t>(column.values, column.rows);
    case ColumnType::kInt32:
      return ArrayOver<int32_t>(column.values, column.rows);
    case ColumnType::kInt64:
      return ArrayOver<int64_t>(column.values, column.rows);
    case ColumnType::kDouble:
      return ArrayOver<double>(column.values, column.rows);
    default:
      return nb::none();
  }
}

// True where there is no value; None where all have one.
nb::object MissingOf(const ColumnData& column) {
  if (column.nulls == 0) return nb::none();
  std::vector<uint8_t> missing(static_cast<size_t>(column.rows));
  for (int64_t row = 0; row < column.rows; ++row)
    missing[static_cast<size_t>(row)] = column.IsNull(row) ? 1 : 0;
  return ArrayOver<uint8_t>(BufferOf(std::move(missing)), column.rows).attr("view")("bool");
}

// (values, missing, dictionary): values of numbers are an array, of text a list; with a dictionary
// they are places in it.
nb::tuple PartsOf(const SharedColumns& self, const std::string& name) {
  const ColumnData& column = Find(self, name);
  nb::object dictionary = nb::none();
  if (column.dictionary) dictionary = ListOf(*column.dictionary);
  if (column.type == ColumnType::kText || column.type == ColumnType::kNull)
    return nb::make_tuple(ListOf(column), nb::none(), dictionary);
  return nb::make_tuple(NumbersOf(column), MissingOf(column), dictionary);
}

// The standard's name of the capsule and its destructor, which releases what nobody took.
nb::object StreamOf(const SharedColumns& self, const nb::object& /*requested_schema*/) {
  auto* stream = new ArrowArrayStream;
  ExportStream(self.columns, stream);
  return nb::capsule(stream, "arrow_array_stream", [](void* p) noexcept {
    auto* left = static_cast<ArrowArrayStream*>(p);
    if (left->release != nullptr) left->release(left);
    delete left;
  });
}

size_t BytesOf(const ColumnData& column) {
  const size_t own = column.valid.bytes + column.values.bytes + column.text.bytes;
  return own + (column.dictionary ? BytesOf(*column.dictionary) : 0);
}

size_t BytesOfAll(const SharedColumns& self) {
  size_t bytes = 0;
  for (const ColumnData& column : self.columns->columns) bytes += BytesOf(column);
  return bytes;
}

}  // namespace

nb::object ObjectOf(std::shared_ptr<const Columns> columns) {
  return nb::cast(SharedColumns{std::move(columns)});
}

nb::object ObjectOf(Columns columns) {
  return ObjectOf(std::make_shared<const Columns>(std::move(columns)));
}

std::shared_ptr<const Columns> ColumnsOf(nb::handle object) {
  return nb::cast<const SharedColumns&>(object).columns;
}

void AddColumns(nb::module_& module) {
  nb::class_<SharedColumns>(module, "Columns")
      .def("__len__", [](const SharedColumns& self) { return self.columns->rows; })
      .def("keys", Keys)
      .def("to_dict", ToDict)
      .def("parts", PartsOf, nb::arg("name"))
      .def_prop_ro("nbytes", BytesOfAll)
      .def("__arrow_c_stream__", StreamOf, nb::arg("requested_schema") = nb::none());
}

}  // namespace stepscope::python
