// Answers with columns of events.
#include "stepscope/events.h"

#include <algorithm>
#include <utility>

#include "base/nearest_name.h"
#include "base/parallel.h"
#include "events/choose.h"
#include "events/fields.h"
#include "events/recorded.h"

namespace stepscope {

struct EventTable::State {
  RankRecord record;
  mutable std::mutex mutex;  // over what is derived at the first use
  mutable EventLinks links;
};

namespace {

using Fields = std::vector<const EventColumn*>;

Result<Fields> FieldsNamed(const std::vector<std::string>& names) {
  Fields fields;
  for (const std::string& name : names) {
    const auto field = std::ranges::find(AllEventColumns(), name, &EventColumn::name);
    if (field == AllEventColumns().end()) {
      const std::string near = NearestName(name, EventTable::ColumnNames());
      return std::unexpected(Error{"there is no column '" + name + "' of events", "`columns`",
                                   near.empty() ? "" : "did you mean '" + near + "'?"});
    }
    fields.push_back(&*field);
  }
  return fields;
}

bool NeedsLaunches(NeedsLinks needs) {
  return needs == NeedsLinks::kLaunches || needs == NeedsLinks::kBoth;
}
bool NeedsNesting(NeedsLinks needs) {
  return needs == NeedsLinks::kNesting || needs == NeedsLinks::kBoth;
}

// Derives those that nobody has needed before, of all files. A stop leaves none of them half done.
void DeriveLinks(const RankRecord& record, bool launches, bool nesting, EventLinks& links) {
  EventLinks derived;
  if (launches && links.launches.empty()) {
    for (const RecordedFile& file : record.files)
      derived.launches.push_back(LaunchesOf(file.trace()));
    links.launches = std::move(derived.launches);
  }
  if (nesting && links.nestings.empty()) {
    for (const RecordedFile& file : record.files)
      derived.nestings.push_back(NestingOf(file.trace()));
    links.nestings = std::move(derived.nestings);
  }
}

std::vector<uint32_t> ChooseOf(const RankRecord& record, size_t f, KindSet kinds,
                               const WantedSteps& wanted, const EventLinks& links) {
  const RecordedFile& file = record.files[f];
  std::vector<uint32_t> chosen;
  StopChecks checks;
  std::optional<StepsOfEvents> steps;
  if (wanted.any()) steps.emplace(file, links.launches[f], record.steps);
  for (EventId e = 0; e < file.size(); ++e) {
    checks.Turn();
    if (!kinds.Has(file.trace().kinds()[e])) continue;
    if (!steps || wanted.Has(steps->At(e))) chosen.push_back(e);
  }
  return chosen;
}

Chosen Choose(const RankRecord& record, KindSet kinds, const WantedSteps& wanted,
              const EventLinks& links) {
  Chosen chosen{.record = &record};
  chosen.events.emplace();
  for (size_t f = 0; f < record.files.size(); ++f)
    chosen.events->push_back(ChooseOf(record, f, kinds, wanted, links));
  return chosen;
}

Columns Fill(const Chosen& chosen, const Fields& fields, const EventLinks& links) {
  Columns all{.columns = std::vector<ColumnData>(fields.size()),
              .rows = static_cast<int64_t>(chosen.size())};
  ParallelFor(fields.size(), 0, [&](size_t c) {
    all.columns[c] = fields[c]->fill(chosen, links, std::string(fields[c]->name));
  });
  return all;
}

}  // namespace

EventTable::EventTable(std::unique_ptr<State> state) : state_(std::move(state)) {}
EventTable::EventTable(EventTable&&) noexcept = default;
EventTable& EventTable::operator=(EventTable&&) noexcept = default;
EventTable::~EventTable() = default;

EventTable EventsOf(int64_t rank, std::vector<std::shared_ptr<const Trace>> files,
                    std::vector<EventStep> steps) {
  auto state = std::make_unique<EventTable::State>();
  state->record.rank = rank;
  state->record.steps = StepsAt(std::move(steps));
  uint32_t first = 0;
  for (std::shared_ptr<const Trace>& trace : files) {
    const auto size = static_cast<uint32_t>(trace->size());
    state->record.files.push_back({std::move(trace), first});
    first += size;
  }
  return EventTable(std::move(state));
}

std::vector<std::string> EventTable::DefaultColumns() {
  return {"rank", "name", "kind", "start", "duration", "device", "stream", "thread", "step"};
}

std::vector<std::string> EventTable::ColumnNames() {
  std::vector<std::string> names;
  for (const EventColumn& field : AllEventColumns()) names.emplace_back(field.name);
  return names;
}

std::vector<std::string> EventTable::KindNames() {
  std::vector<std::string> names;
  for (size_t k = 0; k < Index(Kind::kCount); ++k)
    names.emplace_back(KindName(static_cast<Kind>(k)));
  return names;
}

size_t EventTable::size() const { return state_->record.size(); }

Result<Columns> EventTable::Get(const std::vector<std::string>& names, const EventFilter& filter,
                                std::stop_token stop) const {
  const auto fields = FieldsNamed(names.empty() ? DefaultColumns() : names);
  if (!fields) return std::unexpected(fields.error());
  const auto kinds = KindsOf(filter.kinds);
  if (!kinds) return std::unexpected(kinds.error());
  const WantedSteps wanted(filter);
  const auto any = [&](auto needs) {
    return std::ranges::any_of(*fields, [&](const EventColumn* f) { return needs(f->needs); });
  };
  try {
    const StopScope scope(std::move(stop));
    {
      const std::lock_guard lock(state_->mutex);
      DeriveLinks(state_->record, any(NeedsLaunches) || wanted.any(), any(NeedsNesting),
                  state_->links);
    }
    // From here on nobody changes what these columns need.
    const bool all = filter.kinds.empty() && !wanted.any();
    const Chosen chosen = all ? Chosen{.record = &state_->record}
                              : Choose(state_->record, *kinds, wanted, state_->links);
    return Fill(chosen, *fields, state_->links);
  } catch (const Stopped&) {
    return std::unexpected(Error{"reading events was canceled", "", ""});
  }
}

}  // namespace stepscope
