// Writes items that a reader pages through: at most so many, within a budget, from the one after an
// id on.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "report/humanize.h"
#include "stepscope/select.h"

namespace stepscope {

struct Paging {
  const RowQuery& query;  // of which `top`, `after` and `budget` count
  std::string_view noun;  // what an item is
  std::string_view hint;  // what to do where no item has the id `after`
  size_t all = 0;         // items there are, of which the query takes those that are given
};

// `head`, a line for each item, and how many there are; "next: after ID" where some are left.
// id_of(item) and line_of(item, id) give strings, the line without its end.
template <class Item, class IdOf, class LineOf>
Result<std::string> Paged(std::string head, std::span<const Item> items, const Paging& paging,
                          const IdOf& id_of, const LineOf& line_of) {
  constexpr size_t kReserve = 130;  // bytes for the last line
  const auto& [query, noun, hint, all] = paging;
  auto at = items.begin();
  if (!query.after.empty()) {
    at = std::ranges::find(items, query.after, id_of);
    if (at == items.end())
      return std::unexpected(Error{fmt::format("no {} has the id '{}'", noun, query.after),
                                   "`after`", std::string(hint)});
    ++at;
  }
  std::string out = std::move(head), last;
  const size_t room = std::max(query.budget * kTokenBytes, kReserve) - kReserve;
  size_t shown = 0;
  for (; at != items.end() && shown < query.top; ++at, ++shown) {
    const std::string id = id_of(*at), line = line_of(*at, id);
    if (out.size() + line.size() > room) break;
    out += line + "\n";
    last = id;
  }
  out += items.size() == all
             ? fmt::format("{} of {} shown", shown, Plural(all, noun))
             : fmt::format("{} of {} shown, of {} in all", shown,
                           Plural(items.size(), fmt::format("matching {}", noun)), all);
  if (at != items.end() && !last.empty()) out += fmt::format("; next: after {}", last);
  return out + "\n";
}

}  // namespace stepscope
