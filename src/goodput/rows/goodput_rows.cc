// Implements GoodputRows: reads all jobs of a ledger once, and makes rows as they are asked for.
#include "stepscope/goodput_rows.h"

#include <algorithm>
#include <utility>

#include "base/unless_stopped.h"
#include "base/wall_clock.h"
#include "goodput/ledger/ledger.h"
#include "goodput/rows/accounted_job.h"
#include "goodput/rows/job_rows.h"

namespace stepscope {

struct GoodputRows::State {
  std::string ledger;
  std::vector<goodput::AccountedJob> jobs;
  std::vector<Note> notes;
};

namespace {

Result<void> ReadJobs(const GoodputRowsOptions& options, const goodput::Ledger& ledger,
                      GoodputRows::State& state) {
  for (const std::string& name : ledger.JobNames()) {
    goodput::Job job;
    if (auto read = ledger.Account(name, {}, job); !read) return read;
    auto accounted = goodput::AccountFor(job, options.at, options.chips_per_job);
    if (accounted) state.jobs.push_back(std::move(*accounted));
  }
  return {};
}

Result<GoodputRows> ReadOnce(GoodputRowsOptions options) {
  if (!options.at) options.at = WallClock();  // one moment for all jobs
  auto ledger = goodput::Ledger::Open(options.store, goodput::Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  auto state = std::make_unique<GoodputRows::State>();
  state->ledger = options.name.empty() ? ledger->name() : options.name;
  state->notes = ledger->InputNotes();
  if (auto read = ReadJobs(options, *ledger, *state); !read) return std::unexpected(read.error());
  return GoodputRows(std::move(state));
}

}  // namespace

GoodputRows::GoodputRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
GoodputRows::GoodputRows(GoodputRows&&) noexcept = default;
GoodputRows& GoodputRows::operator=(GoodputRows&&) noexcept = default;
GoodputRows::~GoodputRows() = default;

Result<GoodputRows> GoodputRows::Read(const GoodputRowsOptions& options) {
  return UnlessStopped(options.stop, "reading the ledger was canceled",
                       [&] { return goodput::RetryIfLost([&] { return ReadOnce(options); }); });
}

size_t GoodputRows::jobs() const { return state_->jobs.size(); }
const std::string& GoodputRows::ledger() const { return state_->ledger; }
const std::vector<Note>& GoodputRows::notes() const { return state_->notes; }

void GoodputRows::Each(GoodputRowTable table, size_t from, size_t to,
                       const std::function<void(std::span<const Cell>)>& take) const {
  if (table == GoodputRowTable::kLimits) {
    if (from == 0) goodput::EachLimit(take);
    return;
  }
  for (size_t j = from; j < std::min(to, state_->jobs.size()); ++j)
    goodput::EachRowOf(state_->jobs[j], state_->ledger, table, take);
}

}  // namespace stepscope
