// Implements include/stepscope/redact.h for answers, and the part of sessions.
#include "session/redact_run.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <variant>
#include <vector>

#include "base/library_files.h"
#include "base/parallel.h"
#include "base/secret.h"
#include "redact/files.h"
#include "redact/pseudonym.h"
#include "stepscope/redact.h"

namespace stepscope {
namespace {

Result<redact::Redactor> RedactorWith(const RedactOptions& options) {
  return redact::MakeRedactor(options.keep, options.key, &IsLibraryFile);
}

void Redact(Phrase& phrase, const redact::Redactor& redactor) {
  phrase.RewriteWith([&](std::string_view text) { return redactor.Text(text); });
}

// Of a table's cells the column tells what they are, as a key in JSON does.
void RedactTable(Table& table, const redact::Redactor& redactor) {
  Redact(table.title, redactor);
  for (Column& column : table.columns) Redact(column.title, redactor);
  for (auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      auto* text = std::get_if<std::string>(&row[c]);
      if (text != nullptr) *text = redactor.Text(*text, redact::HintOf(table.columns[c].key));
    }
  }
}

// Hosts and users that metrics and cells tell by their keys: sentences name them, too.
redact::KnownWords NamesIn(const ReportSet& answer, const redact::Redactor& redactor) {
  redact::KnownWords words;
  const auto learn = [&](const Cell& cell, std::string_view key) {
    const auto* text = std::get_if<std::string>(&cell);
    if (text != nullptr) redactor.Learn(*text, redact::HintOf(key), words);
  };
  for (const Report& report : answer.reports) {
    for (const Metric& metric : report.metrics) learn(metric.value, metric.key);
    for (const Table& table : report.tables) {
      for (const auto& row : table.rows) {
        for (size_t c = 0; c < row.size(); ++c) learn(row[c], table.columns[c].key);
      }
    }
  }
  return words;
}

}  // namespace

Result<redact::Redactor> RedactorOf(std::span<const std::string> files, const Places& places,
                                    const RedactOptions& options, int threads) {
  auto redactor = RedactorWith(options);
  if (!redactor) return redactor;
  std::vector<redact::KnownWords> words(files.size());
  ParallelFor(files.size(), ThreadsFor(threads), [&](size_t i) {
    redactor->LearnFileName(std::filesystem::path(files[i]).filename().string(), words[i]);
    auto source = places.Open(files[i]);
    if (source) (void)redact::LearnFile(std::move(*source), *redactor, words[i]);
  });
  redact::KnownWords all;
  for (const redact::KnownWords& of_file : words) all.Add(of_file);
  redactor->Know(std::move(all));
  return redactor;
}

void RedactTrace(Trace& trace, const redact::Redactor& redactor) {
  const auto text = [&](std::string_view of) { return redactor.Text(of); };
  trace.strings.Rewrite(text);
  for (Track& track : trace.tracks) {
    for (std::string* name : {&track.process, &track.thread, &track.name}) *name = text(*name);
  }
  trace.meta.machine = redactor.Text(trace.meta.machine, redact::Hint::kHost);
  for (std::string& description : trace.meta.group_descriptions) description = text(description);
  trace.notes.RewriteDetails(text);
}

void RedactInfo(RunInfo& info, const redact::Redactor& redactor) {
  info.name = redactor.GivenPath(info.name);
  for (InputFile& file : info.files) {
    file.path = redactor.GivenPath(file.path);
    file.problem = redactor.Text(file.problem);
  }
  for (Note& note : info.notes) {
    Redact(note.message, redactor);
    note.where = redactor.GivenPath(note.where);
  }
}

void RedactReport(Report& report, const redact::Redactor& redactor) {
  const auto replace = [&](Phrase& phrase) { Redact(phrase, redactor); };
  for (Phrase* phrase : {&report.why, &report.headline, &report.title, &report.label})
    replace(*phrase);
  for (Metric& metric : report.metrics) {
    replace(metric.title);
    if (auto* text = std::get_if<std::string>(&metric.value))
      *text = redactor.Text(*text, redact::HintOf(metric.key));
  }
  for (Table& table : report.tables) RedactTable(table, redactor);
  for (Series& series : report.series) replace(series.title);
  for (Finding& finding : report.findings) {
    for (Phrase* phrase : {&finding.message, &finding.because, &finding.hint, &finding.where.event})
      replace(*phrase);
    for (Evidence& evidence : finding.evidence) {
      replace(evidence.message);
      replace(evidence.because);
    }
  }
  for (Note& note : report.notes) {
    replace(note.message);
    note.where = redactor.GivenPath(note.where);
  }
}

Result<RedactOptions> WithKey(RedactOptions options) {
  if (!options.key.empty()) return options;
  auto key = NewSecret();
  if (!key) return std::unexpected(key.error());
  options.key = std::move(*key);
  return options;
}

Result<void> RedactAnswer(ReportSet& answer, const RedactOptions& options) {
  auto redactor = RedactorWith(options);
  if (!redactor) return std::unexpected(redactor.error());
  redactor->Know(NamesIn(answer, *redactor));
  RedactInfo(answer.run, *redactor);
  Redact(answer.verdict, *redactor);
  for (Report& report : answer.reports) RedactReport(report, *redactor);
  return {};
}

std::string RedactedPath(std::string_view path, const RedactOptions& options) {
  const auto redactor = RedactorWith(options);
  return redactor ? redactor->GivenPath(path) : std::string();
}

std::set<std::string> PseudonymsIn(std::string_view text) {
  redact::Kept kinds = {};
  redact::FindPseudonyms(text, kinds);
  std::set<std::string> names;
  for (size_t k = 0; k < kinds.size(); ++k)
    if (kinds[k]) names.emplace(redact::NameOf(static_cast<redact::NameKind>(k)));
  return names;
}

std::string RedactedText(std::string_view text, const RedactOptions& options) {
  const auto redactor = RedactorWith(options);
  return redactor ? redactor->Text(text) : std::string();
}

}  // namespace stepscope
