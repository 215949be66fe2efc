// Stores millions of similar items as columns. An item is a view that reads its fields in place, so
// that unused fields are never read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/narrow_array.h"
#include "base/narrow_rows.h"
#include "base/string_table.h"

namespace stepscope {

template <size_t kColumns>
using ItemRow = NarrowRows<kColumns>::Row;

// Goes through a list that makes its items.
template <class List>
class ItemIterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using value_type = decltype(std::declval<const List&>()[0]);
  using difference_type = std::ptrdiff_t;

  ItemIterator() = default;
  ItemIterator(const List& list, size_t at) : list_(&list), at_(at) {}
  [[gnu::always_inline]] value_type operator*() const { return (*list_)[at_]; }
  ItemIterator& operator++() {
    ++at_;
    return *this;
  }
  ItemIterator operator++(int) { return {*list_, at_++}; }
  bool operator==(const ItemIterator&) const = default;

 private:
  const List* list_ = nullptr;
  size_t at_ = 0;
};

// `Columns` says what an Item is, which has a `name`, names the columns of the rest, and turns an
// item into a row (ToRow) and back (FromRow); both are told its place in the list.
template <class Columns>
class ItemList {
 public:
  using Item = Columns::Item;

  void Append(const Item& item) {
    rows_.Append(Columns::ToRow(item, size()));
    names_.Append(item.name);
  }

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  [[gnu::always_inline]] Item operator[](size_t i) const {
    return Columns::FromRow(rows_[i], names_[i], i);
  }
  // REQUIRES: !empty()
  [[gnu::always_inline]] Item front() const { return (*this)[0]; }
  [[gnu::always_inline]] Item back() const { return (*this)[size() - 1]; }
  auto begin() const { return ItemIterator(*this, 0); }
  auto end() const { return ItemIterator(*this, size()); }

  // The first item with a number of at least `value` in the column, else size(). REQUIRES: these
  // ascend.
  template <Columns::Column kColumn>
  size_t LowerBound(int64_t value) const {
    return rows_.template LowerBound<kColumn>(value);
  }

  // Calls f(name) for the name of each item, so that it can be given another.
  template <class F>
  void ForEachName(const F& f) {
    NarrowArray<StringId> changed;
    for (size_t i = 0; i < names_.size(); ++i) {
      StringId name = names_[i];
      f(name);
      changed.Append(name);
    }
    names_ = std::move(changed);
  }

 private:
  NarrowRows<Columns::kColumns> rows_;
  NarrowArray<StringId> names_;
};

}  // namespace stepscope
