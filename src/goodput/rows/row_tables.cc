// Lists the tables of accounted jobs and their columns.
#include <initializer_list>

#include "stepscope/goodput_rows.h"

namespace stepscope {
namespace {

using Type = GoodputRowType;
using Columns = std::vector<GoodputRowColumn>;

// What every row of a job has, so that questions group without a join.
const Columns kOfJob = {
    {"ledger", Type::kText, "", "where the events are", true},
    {"job", Type::kText, "", "name of the job", true},
    {"team", Type::kText, "", "label team, or the team of a name team/job"},
    {"username", Type::kText, "", "label user"},
    {"project", Type::kText, "", "label project"},
    {"queue", Type::kText, "", "label queue"},
    {"cluster", Type::kText, "", "label cluster"},
    {"chip", Type::kText, "", "kind of chip: label chip"},
    {"chips", Type::kReal, "count", "chips of the job"},
    {"nodes", Type::kInteger, "count", "nodes of the job: label nodes"},
};

const Columns kOfDay = {
    {"day", Type::kDate, "", "day, UTC", true},
    {"week", Type::kText, "", "week of that day, as in ISO 8601", true},
};

const Columns kJob = {
    {"day", Type::kDate, "", "day of its end, UTC", true},
    {"started", Type::kInteger, "unix_ns", "start", true},
    {"ended", Type::kInteger, "unix_ns", "end, or now", true},
    {"state", Type::kText, "", "running, ended, failed, silent, or the scheduler's word", true},
    {"events", Type::kInteger, "count", "events", true},
    {"attempts", Type::kInteger, "count", "attempts", true},
    {"disruptions", Type::kInteger, "count", "unplanned ends that an attempt followed", true},
    {"steps", Type::kInteger, "count", "steps of all attempts", true},
    {"goodput", Type::kReal, "ratio", "productive of counted time"},
    {"running_ns", Type::kInteger, "ns", "time in attempts", true},
    {"model_flops", Type::kReal, "FLOP", "model FLOPs that it recorded"},
    {"peak_flops", Type::kReal, "FLOP/s", "bf16 peak of all its chips"},
    {"stepping_ns", Type::kInteger, "ns", "time in steps, if FLOPs and peak are known"},
    {"labels", Type::kText, "", "all labels, as JSON", true},
};

// Of a job in all, and of each of its days.
const Columns kTimes = {
    {"counted_ns", Type::kInteger, "ns", "time without excluded time", true},
    {"productive_ns", Type::kInteger, "ns", "time in kept steps", true},
    {"lost_ns", Type::kInteger, "ns", "time that was no progress", true},
    {"chip_hours", Type::kReal, "chip-hours", "counted time of all chips"},
    {"productive_chip_hours", Type::kReal, "chip-hours", "time in kept steps of all chips"},
    {"lost_chip_hours", Type::kReal, "chip-hours", "lost time of all chips"},
    {"wanted_ns", Type::kInteger, "ns", "time in which the job wanted its chips"},
    {"all_up_ns", Type::kInteger, "ns", "of wanted time: with all chips, healthy"},
    {"unhealthy_ns", Type::kInteger, "ns", "of wanted time: some chips were not healthy"},
    {"partial_ns", Type::kInteger, "ns", "of wanted time: with some of the chips"},
    {"waiting_ns", Type::kInteger, "ns", "of wanted time: without a chip"},
    {"paused_ns", Type::kInteger, "ns", "held or paused by the user"},
    {"mfu", Type::kReal, "ratio", "program goodput of the whole job: MFU"},
};

const Columns kBucket = {
    {"bucket", Type::kText, "", "what took the time", true},
    {"lost", Type::kInteger, "", "1: time of this bucket is lost", true},
    {"ns", Type::kInteger, "ns", "time", true},
    {"chip_hours", Type::kReal, "chip-hours", "time of all chips"},
};

const Columns kDisruption = {
    {"happened", Type::kInteger, "unix_ns", "end of the attempt", true},
    {"attempt", Type::kInteger, "", "number of the attempt that ended, from 1", true},
    {"cause", Type::kText, "", "reason, without ranks", true},
    {"words", Type::kText, "", "what the attempt or the notice said last"},
    {"node", Type::kText, "", "node of the rank that went first"},
    {"announced", Type::kInteger, "", "1: a notice came before", true},
    {"cost_ns", Type::kInteger, "ns", "what it cost the job: the sum of the parts", true},
    {"cost_chip_hours", Type::kReal, "chip-hours", "the same of all chips"},
    {"down_ns", Type::kInteger, "ns", "part: until the next start", true},
    {"detect_ns", Type::kInteger, "ns", "of down time: until chips were asked for"},
    {"queue_ns", Type::kInteger, "ns", "of down time: until chips were given"},
    {"launch_ns", Type::kInteger, "ns", "of down time: from then to the start"},
    {"start_ns", Type::kInteger, "ns", "part: start to first step, without restore", true},
    {"restore_ns", Type::kInteger, "ns", "part: reading the checkpoint", true},
    {"startup_ns", Type::kInteger, "ns", "part: excess of the first step", true},
    {"recompute_ns", Type::kInteger, "ns", "part: steps that were lost", true},
    {"hung_ns", Type::kInteger, "ns", "part: hung in the step in which it ended", true},
};

const Columns kLimits = {
    {"events", Type::kInteger, "count", "events that were counted", true},
    {"low", Type::kReal, "count", "least expected number, 95% limits", true},
    {"high", Type::kReal, "count", "greatest expected number, 95% limits", true},
};

Columns Joined(std::initializer_list<const Columns*> parts) {
  Columns all;
  for (const Columns* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

}  // namespace

const std::vector<GoodputRowTableInfo>& GoodputRowTables() {
  static const std::vector<GoodputRowTableInfo> kTables = {
      {GoodputRowTable::kJobs, "jobs", "Jobs", Joined({&kOfJob, &kJob, &kTimes})},
      {GoodputRowTable::kDays, "goodput_days", "Days of jobs", Joined({&kOfJob, &kOfDay, &kTimes})},
      {GoodputRowTable::kBuckets, "goodput_buckets", "Days of jobs by bucket",
       Joined({&kOfJob, &kOfDay, &kBucket})},
      {GoodputRowTable::kDisruptions, "disruptions", "Disruptions of jobs",
       Joined({&kOfJob, &kOfDay, &kDisruption})},
      {GoodputRowTable::kLimits, "poisson_limits", "95% limits of a number of events", kLimits},
  };
  return kTables;
}

}  // namespace stepscope
