// Binds the events of a rank: columns of them, handed over as they are.
#include "stepscope/events.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/bind_columns.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/work.h"

namespace stepscope::python {
namespace {

nb::object Get(const EventTable& events, const std::vector<std::string>& names,
               std::vector<std::string> kinds, std::optional<int64_t> step) {
  const EventFilter filter{.kinds = std::move(kinds), .step = step};
  auto columns = WorkFor<Result<Columns>>(
      [&](std::stop_token stop) { return events.Get(names, filter, std::move(stop)); });
  return ObjectOf(ValueOrRaise(std::move(columns), Fault::kQuestion));
}

// Empties the list, so that each column is freed once it is copied.
nb::object Join(nb::list parts) {
  std::vector<Columns> all;
  for (const nb::handle part : parts) all.push_back(*ColumnsOf(part));
  parts.clear();
  auto joined = WorkFor<Result<Columns>>(
      [&](std::stop_token stop) { return JoinEvents(std::move(all), std::move(stop)); });
  return ObjectOf(ValueOrRaise(std::move(joined), Fault::kQuestion));
}

}  // namespace

void AddEvents(nb::module_& module) {
  nb::class_<EventTable>(module, "Events")
      .def("__len__", &EventTable::size)
      .def("get", Get, nb::arg("columns"), nb::arg("kinds"), nb::arg("step").none());
  module.def("join_events", Join, nb::arg("parts"));
  module.def("event_columns", &EventTable::ColumnNames);
  module.def("event_kinds", &EventTable::KindNames);
}

}  // namespace stepscope::python
