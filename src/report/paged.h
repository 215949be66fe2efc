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

// `head`, a line for each item, and how many there are; "next: after ID" where some are left. Of
// the query `top`, `after` and `budget` count. `noun`: what an item is; `hint`: what to do where no
// item has the id `after`. id_of(item) and line_of(item, id) give strings, the line without its
// end.
template <class Item, class IdOf, class LineOf>
Result<std::string> Paged(std::string head, std::span<const Item> items, const RowQuery& query,
                          std::string_view noun, std::string_view hint, const IdOf& id_of,
                          const LineOf& line_of) {
  constexpr size_t kReserve = 100;  // bytes for the last line
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
  out += fmt::format("{} of {} shown", shown, Plural(items.size(), noun));
  if (at != items.end() && !last.empty()) out += fmt::format("; next: after {}", last);
  return out + "\n";
}

}  // namespace stepscope
