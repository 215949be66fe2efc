// What all columns of a trace have in common.
#include "trace/trace.h"

#include <functional>
#include <utility>

namespace stepscope {
namespace {

template <class Column, class Here>
void AppendColumn(Column& column, Column& later, const Here& here) {
  for (size_t i = 0; i < later.size(); ++i) column.Append(here(later[i]));
  later = {};
}

}  // namespace

size_t Trace::ColumnBytes() const {
  size_t bytes =
      starts_.bytes() + durations_.bytes() + names_.bytes() + tracks_of_.bytes() + kinds_.bytes();
  for (const auto& column : ints_) bytes += column.bytes();
  for (const auto& column : texts_) bytes += column.bytes();
  for (const auto& column : reals_) bytes += column.bytes();
  return bytes;
}

void Trace::Append(Trace& later, std::span<const TrackId> tracks_here) {
  const auto first = static_cast<EventId>(size());
  std::vector<StringId> names;
  for (StringId name = 0; name < later.strings.size(); ++name)
    names.push_back(strings.Intern(later.strings[name]));
  std::vector<int64_t> configs;
  for (size_t config = 0; config < later.launch_configs.size(); ++config)
    configs.push_back(launch_configs.Intern(later.launch_configs[config]));
  const auto name_here = [&](StringId name) { return names[name]; };
  const auto config_here = [&](int64_t config) { return configs[static_cast<size_t>(config)]; };

  AppendColumn(starts_, later.starts_, std::identity());
  AppendColumn(durations_, later.durations_, std::identity());
  AppendColumn(names_, later.names_, name_here);
  AppendColumn(tracks_of_, later.tracks_of_, [&](TrackId track) { return tracks_here[track]; });
  AppendColumn(kinds_, later.kinds_, std::identity());
  for (size_t i = 0; i < ints_.size(); ++i) {
    if (i == Index(IntField::kLaunchConfig))
      ints_[i].Append(later.ints_[i], first, config_here);
    else
      ints_[i].Append(later.ints_[i], first, std::identity());
  }
  for (size_t i = 0; i < texts_.size(); ++i) texts_[i].Append(later.texts_[i], first, name_here);
  for (size_t i = 0; i < reals_.size(); ++i)
    reals_[i].Append(later.reals_[i], first, std::identity());
  notes.Add(later.notes);
  events_in_file += later.events_in_file;
  gpu_events_in_file += later.gpu_events_in_file;
  later = {};
}

void Trace::LetGo(EventId before) {
  starts_.LetGo(before);
  durations_.LetGo(before);
  names_.LetGo(before);
  tracks_of_.LetGo(before);
  kinds_.LetGo(before);
  for (auto& column : ints_) column.LetGo(before);
  for (auto& column : texts_) column.LetGo(before);
  for (auto& column : reals_) column.LetGo(before);
}

}  // namespace stepscope
