// Collects the rows of a partial.
#include "partials/partial_table.h"

namespace stepscope {

using enum FlatType;

const std::array<FlatColumnInfo, kPartialColumns> kPartialInfos = {{
    {"kind", kText},          {"rank", kInt64},       {"category", kText},
    {"device", kInt64},       {"stream", kInt64},     {"step", kInt64},
    {"start", kInt64},        {"duration", kInt64},   {"name", kText},
    {"operation", kText},     {"group_name", kText},  {"group_description", kText},
    {"group_ranks", kText},   {"data_type", kText},   {"in_elements", kInt64},
    {"out_elements", kInt64}, {"group_size", kInt64}, {"sequence", kInt64},
    {"message_from", kInt64}, {"message_to", kInt64}, {"dispatch", kInt64},
    {"incomplete", kInt64},   {"count", kInt64},      {"shortest", kInt64},
    {"longest", kInt64},      {"mean", kDouble},      {"squares", kDouble},
    {"late", kInt64},         {"pauses", kInt64},     {"input", kInt64},
    {"operator", kText},      {"annotation", kText},  {"after", kInt64},
    {"after_some", kInt64},   {"about", kText},
}};

void PartialTable::BeginRow(std::string_view kind, int64_t rank) {
  ++rows_;
  Set(PartialColumn::kKind, kind);
  Set(PartialColumn::kRank, rank);
}

// The column, with this row's place: rows before it that have no value are filled in.
FlatColumn& PartialTable::At(PartialColumn column) {
  FlatColumn& of = columns_[static_cast<size_t>(column)];
  of.present.resize(rows_ - 1, false);
  of.present.push_back(true);
  return of;
}

void PartialTable::Set(PartialColumn column, int64_t value) { At(column).ints.push_back(value); }
void PartialTable::Set(PartialColumn column, double value) { At(column).reals.push_back(value); }

void PartialTable::Set(PartialColumn column, std::string_view text) {
  FlatColumn& of = At(column);
  auto& ids = ids_[static_cast<size_t>(column)];
  auto id = ids.find(text);
  if (id == ids.end()) {
    id = ids.emplace(std::string(text), static_cast<uint32_t>(of.names.size())).first;
    of.names.push_back(id->first);
  }
  of.texts.push_back(id->second);
}

const std::vector<FlatColumn>& PartialTable::Finish() {
  for (FlatColumn& column : columns_) column.present.resize(rows_, false);
  return columns_;
}

}  // namespace stepscope
