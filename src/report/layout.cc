// Selects and formats the parts of a ReportSet that people see.
#include "report/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/printable.h"
#include "base/saturate.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/kernel_name.h"
#include "report/lookup.h"

namespace stepscope {
namespace {

constexpr size_t kFindingsShown = 3;
constexpr size_t kEvidenceShown = 4;

using Row = std::vector<Cell>;
using Extent = TextStyle::Extent;

// Says phrases in the language of the page, printable.
struct Speaker {
  Language language;
  std::string operator()(const Phrase& phrase) const { return Printable(In(language, phrase)); }
};

const Cell& CellAt(const Row& row, size_t column) {
  static const Cell kEmpty;
  return column < row.size() ? row[column] : kEmpty;
}

// Whether the column adds information. Most runs have one device and one window per rank, whose
// number in every row only takes width.
bool Informs(const Table& table, size_t at) {
  const auto is_blank = [&](const Row& row) { return IsBlank(CellAt(row, at)); };
  if (std::ranges::all_of(table.rows, is_blank)) return false;
  const Column& column = table.columns[at];
  if (column.role != Role::kKey) return true;
  if (column.key != "device" && column.key != "window") return true;
  const Cell& first = CellAt(table.rows.front(), at);
  if (std::holds_alternative<std::string>(first)) return true;
  return std::ranges::any_of(table.rows, [&](const Row& row) { return CellAt(row, at) != first; });
}

std::vector<size_t> ShownColumns(const Table& table) {
  std::vector<size_t> shown;
  for (const Role role : {Role::kKey, Role::kValue}) {
    for (size_t at = 0; at < table.columns.size(); ++at) {
      const Column& column = table.columns[at];
      if (column.role == role && !column.detail && Informs(table, at)) shown.push_back(at);
    }
  }
  return shown;
}

Phrase RowsRemark(size_t shown, size_t all) {
  if (all == 0) return "none";
  if (shown == all) return {};
  return Say("… {rows} in csv and json", Plural(all - shown, "more row"));
}

std::string ShownCell(const Cell& cell, Unit unit) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr || text->empty() ? HumanCell(cell, unit) : ShownName(*text);
}

PageTable LayOutTable(const Table& table, Extent extent, const Speaker& say) {
  const std::vector<size_t> columns = ShownColumns(table);
  const size_t most = extent == Extent::kAll ? Table::kAllRows : table.text_rows;
  const size_t rows = columns.empty() ? 0 : std::min(table.rows.size(), most);
  PageTable page{Printable(table.title), {}, {}, say(RowsRemark(rows, table.rows.size()))};
  for (const size_t at : columns)
    page.columns.push_back({.title = Printable(table.columns[at].title),
                            .is_key = table.columns[at].role == Role::kKey});
  page.rows.reserve(rows);
  for (size_t r = 0; r < rows; ++r) {
    auto& cells = page.rows.emplace_back();
    for (size_t c = 0; c < columns.size(); ++c) {
      const Cell& cell = CellAt(table.rows[r], columns[c]);
      if (std::holds_alternative<std::string>(cell)) page.columns[c].is_text = true;
      const Unit unit = table.columns[columns[c]].unit;
      const std::string shown = ShownCell(cell, unit);
      cells.push_back(unit == Unit::kNanoseconds ? say(shown) : Printable(shown));
    }
  }
  return page;
}

PageSection LayOutReport(const Report& report, Extent extent, const Speaker& say) {
  PageSection section{
      .title = Printable(report.title), .problem = {}, .headline = {}, .metrics = {}, .tables = {}};
  if (report.status != Status::kOk) {
    section.problem = say(Say("{status}: {why}", StatusName(report.status), report.why));
  }
  if (report.status == Status::kUnavailable) return section;
  section.headline = Printable(report.headline);
  for (const Metric& metric : report.metrics) {
    if (metric.detail) continue;
    section.metrics.emplace_back(Printable(metric.title),
                                 say(HumanCell(metric.value, metric.unit)));
  }
  Phrase also;
  for (const Table& table : report.tables) {
    if (table.text_rows > 0 || table.rows.empty() || extent == Extent::kAll) {
      section.tables.push_back(LayOutTable(table, extent, say));
      continue;
    }
    if (!also.empty()) also += "; ";
    also += Say("{table} ({rows})", table.title, Plural(table.rows.size(), "row"));
  }
  if (!also.empty()) section.also = say(Say("More in csv and json: {tables}", also));
  return section;
}

// Lays out unavailable reports with the same reason as one section.
PageSection LayOutUnavailable(const std::vector<const Report*>& alike, size_t all,
                              const Speaker& say) {
  PageSection section = LayOutReport(*alike.front(), Extent::kUsual, say);
  if (alike.size() == all && all > 1) {
    section.title = say(Say("All {count} analyses", all));
    return section;
  }
  for (size_t i = 1; i < alike.size(); ++i) section.title += "; " + Printable(alike[i]->title);
  return section;
}

// Available reports first, then unavailable ones, once per reason.
std::vector<PageSection> LayOutReports(const std::vector<Report>& reports, Extent extent,
                                       const Speaker& say) {
  std::vector<PageSection> sections;
  std::vector<std::vector<const Report*>> unavailable;  // by reason
  for (const Report& report : reports) {
    if (report.status != Status::kUnavailable) {
      sections.push_back(LayOutReport(report, extent, say));
      continue;
    }
    const auto alike = std::ranges::find(unavailable, report.why,
                                         [](const auto& group) { return group.front()->why; });
    if (alike != unavailable.end()) {
      alike->push_back(&report);
    } else {
      unavailable.push_back({&report});
    }
  }
  for (const auto& alike : unavailable) {
    sections.push_back(LayOutUnavailable(alike, reports.size(), say));
  }
  return sections;
}

// What shares are of where no steps are known.
std::string_view WholeOf(const ReportSet& answer) {
  const Report* compare = FindReport(answer, "compare");
  if (compare == nullptr) return "the recording";
  const bool by_recording = FindMetric(compare, "recorded_b") != nullptr;
  return by_recording ? "the recording after" : "kernel time after";
}

// "worth 1.59 ms of 6.65 ms (23.9%) in each step since step 2, ± 2 µs, by a replay".
Phrase SayReplayed(const Finding& f) {
  const Phrase steps =
      f.since ? Say("in each step since step {step}", *f.since) : Phrase("per step");
  const Worth& worth = *f.worth;
  const Phrase error =
      worth.error > 0 ? Say(", ± {error}", HumanNanoseconds(worth.error)) : Phrase();
  return Say("worth {time} of {step_time} ({share}) {steps}{error}, by a replay",
             HumanNanoseconds(worth.saved), HumanNanoseconds(worth.step_time),
             HumanRatio(ShareOf(worth)), steps, error);
}

// What a finding costs, per step where steps are known. The share is of another time than that of
// its message may be: it has its base.
Phrase CostOf(const Finding& f, const ReportSet& answer) {
  if (f.worth && f.impact > 0) return SayReplayed(f);
  if (f.share <= 0) return {};
  const bool by_step = f.per_step > 0;
  const std::string time = HumanTime(static_cast<double>(by_step ? f.per_step : f.impact));
  const std::string share = HumanRatio(f.share);
  if (!by_step) return Say("costs up to {time} ({share} of {whole})", time, share, WholeOf(answer));
  if (!f.since) return Say("costs up to {time} per step ({share} of mean step time)", time, share);
  return Say("costs up to {time} in each step since step {step} ({share} of the time of all steps)",
             time, *f.since, share);
}

std::vector<std::string> LayOutEvidence(const Finding& f, Extent extent, const Speaker& say) {
  std::vector<std::string> lines;
  for (const Evidence& e : f.evidence) {
    if (lines.size() == kEvidenceShown && extent != Extent::kAll) break;
    lines.push_back(say(e.analysis + ": " + e.message));
  }
  if (lines.size() < f.evidence.size())
    lines.push_back(say(Say("… {count} more in json", f.evidence.size() - lines.size())));
  return lines;
}

void LayOutFindings(const ReportSet& answer, Extent extent, const Speaker& say, Page& page) {
  const std::vector<const Finding*> all = FindingsInOrder(answer);
  for (const Finding* f : all) {
    if (extent != Extent::kAll) {
      if (page.findings.size() == kFindingsShown) break;
      if (!WorthALook(*f)) continue;
    }
    page.findings.push_back({f->severity, say(f->message), say(CostOf(*f, answer)), say(f->because),
                             LayOutEvidence(*f, extent, say), say(f->hint)});
  }
  const size_t shown = page.findings.size();
  if (shown < all.size()) {
    page.more_findings =
        say(shown > 0 ? Say("… {findings} in json", Plural(all.size() - shown, "more finding"))
                      : Say("None costs more than 1%: {findings} in json",
                            Plural(all.size(), "finding")));
  }
}

// Notes with one message, over several files.
struct NoteGroup {
  std::string_view name;
  const Phrase* message = nullptr;
  int64_t count = 0;
  std::set<std::string_view> where;
};

std::string NoteLine(const NoteGroup& group, const Speaker& say) {
  std::string line = say(*group.message);
  const std::string times = group.count > 1 ? fmt::format(" × {}", HumanCount(group.count)) : "";
  line = fmt::format("{}{}: {}", Printable(group.name), times, line);
  if (group.where.empty()) return line;
  const bool is_one = group.where.size() == 1;
  return fmt::format(
      "{} ({})", line,
      is_one ? Printable(*group.where.begin()) : say(Plural(group.where.size(), "file")));
}

std::vector<std::string> LayOutNotes(const ReportSet& answer, const Speaker& say) {
  std::vector<NoteGroup> groups;  // in the order they first appear
  std::map<std::pair<std::string_view, std::string_view>, size_t> known;
  const auto add = [&](const std::vector<Note>& notes) {
    for (const Note& note : notes) {
      const auto [entry, is_new] = known.try_emplace({note.name, note.message}, groups.size());
      if (is_new) groups.push_back({note.name, &note.message, 0, {}});
      NoteGroup& group = groups[entry->second];
      group.count = AddSaturated(group.count, note.count);
      if (!note.where.empty()) group.where.insert(note.where);
    }
  };
  add(answer.run.notes);
  for (const Report& report : answer.reports) add(report.notes);

  std::vector<std::string> lines;
  for (const NoteGroup& group : groups) lines.push_back(NoteLine(group, say));
  return lines;
}

}  // namespace

Page LayOut(const ReportSet& answer, Language language, TextStyle::Extent extent) {
  const Speaker say{language};
  Page page;
  page.verdict = say(answer.verdict);
  LayOutFindings(answer, extent, say, page);
  page.sections = LayOutReports(answer.reports, extent, say);
  page.notes = LayOutNotes(answer, say);
  return page;
}

}  // namespace stepscope
