// Implements what all columns of a trace share.
#include "trace/trace.h"

#include <functional>
#include <utility>

#include "base/parallel.h"

namespace stepscope {

size_t Trace::ColumnBytes() const {
  size_t bytes =
      starts_.bytes() + durations_.bytes() + names_.bytes() + tracks_of_.bytes() + kinds_.bytes();
  for (const auto& column : ints_) bytes += column.bytes();
  for (const auto& column : texts_) bytes += column.bytes();
  for (const auto& column : reals_) bytes += column.bytes();
  return bytes;
}

void Trace::Append(Trace& later, std::span<const TrackId> tracks_here, size_t threads) {
  const auto first = static_cast<EventId>(size());
  std::vector<StringId> names;
  for (StringId name = 0; name < later.strings.size(); ++name)
    names.push_back(strings.Intern(later.strings[name]));
  std::vector<int64_t> configs;
  for (size_t config = 0; config < later.launch_configs.size(); ++config)
    configs.push_back(launch_configs.Intern(later.launch_configs[config]));
  const auto name_here = [&](StringId name) { return names[name]; };
  const auto config_here = [&](int64_t config) { return configs[static_cast<size_t>(config)]; };

  std::vector<std::function<void()>> columns;  // the longest first
  const auto dense = [&](auto& column, auto& more, auto here) {
    columns.emplace_back([&column, &more, here] {
      for (size_t i = 0; i < more.size(); ++i) column.Append(here(more[i]));
      more = {};
    });
  };
  const auto sparse = [&](auto& column, auto& more, auto here) {
    columns.emplace_back([&column, &more, first, here] { column.Append(more, first, here); });
  };
  dense(starts_, later.starts_, std::identity());
  dense(durations_, later.durations_, std::identity());
  dense(names_, later.names_, name_here);
  dense(tracks_of_, later.tracks_of_, [&](TrackId track) { return tracks_here[track]; });
  dense(kinds_, later.kinds_, std::identity());
  for (size_t i = 0; i < ints_.size(); ++i) {
    if (i == Index(IntField::kLaunchConfig))
      sparse(ints_[i], later.ints_[i], config_here);
    else
      sparse(ints_[i], later.ints_[i], std::identity());
  }
  for (size_t i = 0; i < texts_.size(); ++i) sparse(texts_[i], later.texts_[i], name_here);
  for (size_t i = 0; i < reals_.size(); ++i) sparse(reals_[i], later.reals_[i], std::identity());
  ParallelFor(columns.size(), threads, [&](size_t c) { columns[c](); });
  notes.Add(later.notes);
  events_in_file += later.events_in_file;
  gpu_events_in_file += later.gpu_events_in_file;
  meta.has_python = meta.has_python || later.meta.has_python;
  if (later.meta.recorded_by != RecordedBy::kFramework) meta.recorded_by = later.meta.recorded_by;
  later = {};
}

void Trace::Release(EventId before) {
  starts_.Release(before);
  durations_.Release(before);
  names_.Release(before);
  tracks_of_.Release(before);
  kinds_.Release(before);
  for (auto& column : ints_) column.Release(before);
  for (auto& column : texts_) column.Release(before);
  for (auto& column : reals_) column.Release(before);
}

}  // namespace stepscope
