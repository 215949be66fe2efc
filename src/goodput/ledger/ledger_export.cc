// Exports events of a ledger, and its accounting as OpenMetrics.
#include <fmt/format.h>

#include <algorithm>

#include "base/csv_field.h"
#include "base/time_units.h"
#include "goodput/events/event_lines.h"
#include "goodput/events/label_value.h"
#include "goodput/ledger/ledger.h"
#include "goodput/ledger/load_jobs.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope {
namespace goodput {
namespace {

using Piece = std::function<Result<void>(std::string_view)>;

constexpr size_t kPiece = size_t{64} << 10;

void AddCsvLine(const Event& event, std::string& out) {
  const auto number = [](int64_t value) {
    return value == kUnknown ? std::string() : fmt::format("{}", value);
  };
  for (const std::string* text : {&event.job, &event.attempt, &event.writer}) {
    AppendCsvField(out, *text);
    out += ',';
  }
  out += fmt::format("{},{},{},{},{},{},{},{},", number(event.sequence), EventKindName(event.kind),
                     number(event.time), number(event.monotonic), number(event.step),
                     number(event.counts[0]), number(event.counts[1]), number(event.counts[2]));
  AppendCsvField(out, event.text);
  out += '\n';
}

Result<void> ExportEvents(const Ledger& ledger, const std::string& job,
                          const GoodputExportOptions& options, const Piece& write) {
  const bool csv = options.format == GoodputExportFormat::kCsv;
  std::string out;
  if (csv) {
    out =
        "job,attempt,writer,sequence,event,time_ns,monotonic_ns,step,count_1,count_2,count_3,"
        "text\n";
  }
  Notes note_counts;
  Result<void> written;
  Duplicates numbers;
  ledger.ReadRaw(job, note_counts, [&](const Event& event, const EventPlace&, bool) {
    if (!written) return;
    if (!event.writer.empty()) numbers.Seen(event);
    csv ? AddCsvLine(event, out) : AppendJsonLine(event, out);
    if (out.size() < kPiece) return;
    written = write(out);
    out.clear();
  });
  if (written) written = ledger.ReadStatus();
  note_counts.Add(NoteKind::kMissingEvents, numbers.Missing());
  const Phrase lead = LeadOf({}, {}, ledger.FoundIn(job, note_counts), nullptr);
  if (!lead.empty() && options.on_problem) options.on_problem(lead);
  if (written && !out.empty()) written = write(out);
  return written;
}

// Exact seconds.
std::string SecondsText(int64_t ns) {
  return fmt::format("{}{}.{:09}", ns < 0 ? "-" : "", std::abs(ns / kSecond),
                     std::abs(ns % kSecond));
}

std::string OpenMetrics(const std::string& name, const Partition& p) {
  const std::string job = LabelValue(name);
  std::string out =
      "# TYPE stepscope_goodput_seconds counter\n"
      "# UNIT stepscope_goodput_seconds seconds\n"
      "# HELP stepscope_goodput_seconds Time of the job by bucket.\n";
  for (size_t b = 0; b < kBuckets; ++b) {
    out += fmt::format("stepscope_goodput_seconds_total{{training_job=\"{}\",bucket=\"{}\"}} {}\n",
                       job, BucketName(static_cast<Bucket>(b)), SecondsText(p.times[b]));
  }
  const auto gauge = [&](const char* metric, const char* help, const std::string& value) {
    out += fmt::format("# TYPE {0} gauge\n# HELP {0} {1}\n{0}{{training_job=\"{2}\"}} {3}\n",
                       metric, help, job, value);
  };
  if (const auto goodput = p.goodput()) {
    gauge("stepscope_goodput_ratio", "Goodput: productive time / counted time.",
          fmt::format("{}", *goodput));
  }
  if (p.max_productive_step) {
    gauge("stepscope_goodput_max_productive_step", "Last productive step.",
          fmt::format("{}", *p.max_productive_step));
  }
  gauge("stepscope_goodput_running", "1 until the job ends as planned, then 0.",
        p.running ? "1" : "0");
  out += fmt::format(
      "# TYPE stepscope_goodput_disruptions counter\n"
      "# HELP stepscope_goodput_disruptions Unplanned ends of attempts.\n"
      "stepscope_goodput_disruptions_total{{training_job=\"{}\"}} {}\n# EOF\n",
      job, p.disruptions);
  return out;
}

Error RolledUp(const std::string& job) {
  return {"cannot export events: the oldest ones are rolled up and removed", job,
          "export as openmetrics, or ask for a report"};
}

Result<void> ExportOnce(const GoodputExportOptions& options, const Piece& write) {
  auto ledger = Ledger::Open(options.store, Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  const auto name = ledger->Choose(options.job);
  if (!name) return std::unexpected(name.error());
  if (!*name) {
    return std::unexpected(Error{"cannot find job: not in the ledger", options.job,
                                 HintOfJobs(options.job, ledger->JobNames(), ledger->name())});
  }
  const std::string chosen = name->value_or("");
  if (options.format == GoodputExportFormat::kOpenMetrics) {
    Job job;
    if (auto read = ledger->Account(chosen, {}, job); !read) return read;
    return write(OpenMetrics(chosen, job.accounting.Query(UpTo(std::nullopt))));
  }
  if (const Phrase lead = ledger->Lead({}, &chosen); !lead.empty() && options.on_problem) {
    options.on_problem(lead);
  }
  // A partial export would look complete.
  if (ledger->HasRollup(chosen)) return std::unexpected(RolledUp(chosen));
  return ExportEvents(*ledger, chosen, options, write);
}

}  // namespace
}  // namespace goodput

Result<void> GoodputExport(const GoodputExportOptions& options, const goodput::Piece& write) {
  bool began = false;  // a retry would then repeat the beginning
  const auto write_noting = [&](std::string_view piece) {
    began = true;
    return write(piece);
  };
  auto done = goodput::ExportOnce(options, write_noting);
  if (!done && !began && goodput::WasLost(done.error())) done = goodput::ExportOnce(options, write);
  return done;
}

}  // namespace stepscope
