// Writes cells in the order of the tables' columns.
#include "goodput/rows/job_rows.h"

#include <charconv>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/time_units.h"
#include "goodput/report/fleet.h"
#include "goodput/report/report.h"
#include "report/columns.h"

namespace stepscope::goodput {
namespace {

using Row = std::vector<Cell>;

void Append(Row more, Row& row) {
  row.insert(row.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Cell LabelCell(const AccountedJob& job, const std::string& by) {
  return Maybe(LabelOf(job.name, job.labels, by));
}

Cell NodesOf(const AccountedJob& job) {
  const auto label = job.labels.find("nodes");
  if (label == job.labels.end()) return {};
  const std::string& text = label->second;
  int64_t nodes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nodes);
  if (error != std::errc() || end != text.data() + text.size() || nodes <= 0) return {};
  return nodes;
}

Row OfJob(const AccountedJob& job, const std::string& ledger) {
  return {ledger,
          job.name,
          LabelCell(job, "team"),
          LabelCell(job, "user"),
          LabelCell(job, "project"),
          LabelCell(job, "queue"),
          LabelCell(job, "cluster"),
          LabelCell(job, "chip"),
          Maybe(job.chips),
          NodesOf(job)};
}

Cell ChipHours(const AccountedJob& job, int64_t ns) {
  if (!job.chips) return {};
  return *job.chips * (static_cast<double>(ns) / kHour);
}

Cell OfProgram(const AccountedJob& job, auto ProgramSums::* number) {
  if (!job.program) return {};
  return (*job.program).*number;
}

Row SchedulingCells(const std::optional<SchedulingTimes>& times) {
  if (!times) return Row(6);
  return {times->wanted(), times->all_up,  times->unhealthy,
          times->partial,  times->waiting, times->paused};
}

Row Times(const AccountedJob& job, const BucketTimes& times,
          const std::optional<SchedulingTimes>& scheduling) {
  int64_t counted = 0, lost = 0;
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    counted += bucket == Bucket::kExcluded ? 0 : times[b];
    lost += IsLost(bucket) ? times[b] : 0;
  }
  const int64_t productive = times[static_cast<size_t>(Bucket::kProductive)];
  Row row{counted,
          productive,
          lost,
          ChipHours(job, counted),
          ChipHours(job, productive),
          ChipHours(job, lost)};
  Append(SchedulingCells(scheduling), row);
  row.push_back(OfProgram(job, &ProgramSums::mfu));
  return row;
}

std::string LabelsAsJson(const Labels& labels) {
  JsonWriter json;
  json.BeginObject(JsonWriter::Form::kCompact);
  for (const auto& [name, value] : labels) json.Text(name, value);
  json.End();
  return std::move(json).Take();
}

Row JobRow(const AccountedJob& job, const std::string& ledger) {
  Row row = OfJob(job, ledger);
  Append({DayOf(job.end), job.start, job.end, job.state, job.events, job.attempts,
          static_cast<int64_t>(job.disruptions.size()), job.steps, Maybe(job.goodput), job.running,
          OfProgram(job, &ProgramSums::flops), OfProgram(job, &ProgramSums::peak_flops),
          OfProgram(job, &ProgramSums::stepping), LabelsAsJson(job.labels)},
         row);
  Append(Times(job, job.times, job.scheduling), row);
  return row;
}

void EachDay(const AccountedJob& job, const Row& head, const TakeRow& take) {
  for (const AccountedDay& day : job.days) {
    Row row = head;
    Append({day.day, WeekOf(BeginOfDay(day.day))}, row);
    Append(Times(job, day.times, day.scheduling), row);
    take(row);
  }
}

void EachBucket(const AccountedJob& job, const Row& head, const TakeRow& take) {
  for (const AccountedDay& day : job.days) {
    const std::string week = WeekOf(BeginOfDay(day.day));
    for (size_t b = 0; b < kBuckets; ++b) {
      if (day.times[b] == 0) continue;
      const auto bucket = static_cast<Bucket>(b);
      Row row = head;
      Append({day.day, week, std::string(BucketName(bucket)), int64_t{IsLost(bucket)}, day.times[b],
              ChipHours(job, day.times[b])},
             row);
      take(row);
    }
  }
}

// The host of "rank 2 on host-7".
Cell NodeOf(const Disruption& d) {
  if (d.first_gone.parts().size() != 2) return {};
  return TextCell(d.first_gone.parts()[1].str());
}

void EachDisruption(const AccountedJob& job, const Row& head, const TakeRow& take) {
  for (const Disruption& d : job.disruptions) {
    Row row = head;
    Append({DayOf(d.time), WeekOf(d.time), d.time, static_cast<int64_t>(d.attempt) + 1,
            KindOf(d).str(), TextCell(d.text.empty() ? d.ended_by.str() : d.text), NodeOf(d),
            int64_t{d.announced}, d.cost(), ChipHours(job, d.cost()), d.down, Maybe(d.detect),
            Maybe(d.queue), Maybe(d.launch), d.start, d.restore, d.startup, d.recompute, d.hung},
           row);
    take(row);
  }
}

}  // namespace

void EachRowOf(const AccountedJob& job, const std::string& ledger, GoodputRowTable table,
               const TakeRow& take) {
  switch (table) {
    case GoodputRowTable::kJobs:
      return take(JobRow(job, ledger));
    case GoodputRowTable::kDays:
      return EachDay(job, OfJob(job, ledger), take);
    case GoodputRowTable::kBuckets:
      return EachBucket(job, OfJob(job, ledger), take);
    case GoodputRowTable::kDisruptions:
      return EachDisruption(job, OfJob(job, ledger), take);
    case GoodputRowTable::kLimits:
      return;
  }
}

}  // namespace stepscope::goodput
