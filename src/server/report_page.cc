// Writes report.html: the page with its data inside.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/gzip.h"
#include "server/api.h"
#include "server/compact_json.h"
#include "server/deflate.h"
#include "server/embedded_comparison.h"
#include "server/embedded_timeline.h"
#include "server/ledger_answer.h"
#include "server/packed_text.h"
#include "server/page.h"
#include "server/page_answer.h"
#include "server/snapshots.h"
#include "server/sources.h"
#include "stepscope/hang.h"
#include "stepscope/redact.h"
#include "stepscope/server.h"
#include "stepscope/write.h"

namespace stepscope {
namespace {

using server::CompactJson;

constexpr size_t kPartForDetails = 40;  // of the room of a timeline, one in so many bytes

// The JSON of everything but tiles, packed as it comes.
class Data {
 public:
  // Whether pseudonyms stand in the place of names.
  explicit Data(bool redacted) : redacted_(redacted) {}

  // The text up to the first member of an object whose members are told by id.
  void Begin(std::string_view text) {
    Add(text);
    first_ = true;
  }
  void AddMember(const std::string& id, std::string_view json) {
    packed_.Add(fmt::format("{}\"{}\":", first_ ? "" : ",", id));
    Add(json);
    first_ = false;
  }
  size_t Size() { return server::Base64Size(packed_.Flush()); }
  std::string End(std::string_view text) && {
    packed_.Add(text);
    return server::PackedText(std::move(packed_));
  }
  // The kinds of names that pseudonyms stand for in what was added, as a JSON array.
  std::string PseudonymsJson() const {
    return replaced_.empty() ? "[]" : fmt::format("[\"{}\"]", fmt::join(replaced_, "\",\""));
  }

 private:
  void Add(std::string_view text) {
    if (redacted_) replaced_.merge(PseudonymsIn(text));
    packed_.Add(text);
  }

  bool redacted_ = false;
  std::set<std::string> replaced_;
  RawDeflater packed_;
  bool first_ = true;
};

// Data that no browser runs, and no page is shown: `text` as PackedText() gives it.
std::string DataBlock(std::string_view id, std::string_view text) {
  return fmt::format("<script type=\"text/plain\" id=\"stepscope-{}\">{}</script>\n", id, text);
}

// Of each grid and column a block of its own: the page inflates what it draws.
std::string GridBlocks(const std::string& id, const std::map<std::string, std::string>& grids) {
  std::string blocks;
  for (const auto& [name, bytes] : grids) {
    RawDeflater packed;
    packed.Add(bytes);
    blocks += DataBlock(fmt::format("grid-{}.{}", id, name), server::PackedText(std::move(packed)));
  }
  return blocks;
}

Result<Session> OpenRun(const server::SourceRun& run, const ReportPageOptions& options) {
  const std::vector<std::string> paths = {run.run.path};
  return Session::Open(paths, {.analyses = {},
                               .threads = options.threads,
                               .keep_events = true,
                               .settings = options.settings,
                               .redact = options.redact,
                               .max_input = options.max_input,
                               .on_progress = options.on_progress});
}

// A run that was asked, and its timeline in memory: how much room that has is known only when all
// reports are there.
struct AskedRun {
  std::string id;
  std::string path;  // as its answers name it
  Result<Timeline> timeline;
  std::map<std::string, std::string> grids;
  std::optional<Session> session;  // while it may be asked to compare
  RunOfJob of_job;
};

// The answer to everything about a run goes into `data`, what was read into `file`.
Result<AskedRun> AskRun(const server::SourceRun& run, const ReportPageOptions& options, Data& data,
                        PageFile& file) {
  auto session = OpenRun(run, options);
  if (!session) return std::unexpected(session.error());
  auto answer = session->Analyze();
  if (!answer) return std::unexpected(answer.error());
  const auto& files = session->run().files;
  file.inputs.insert(file.inputs.end(), files.begin(), files.end());
  const std::string name = answer->run.name;
  server::PageAnswer page = server::AnswerForPage(std::move(*answer), options.most_rows);
  data.AddMember(run.id, CompactJson(page.json));
  RunOfJob of_job = server::RunAt(run.run.path, session->run(), session->StepsOnClock());
  auto timeline = session->TakeTimeline();
  return AskedRun{
      run.id,           name, std::move(timeline), std::move(page.grids), std::move(*session),
      std::move(of_job)};
}

// Each run compared with the first, as JSON by "first other". One without ranks in common is left
// out.
class Comparisons {
 public:
  // The last of `asked` is new. Of sessions only the first stays in memory.
  void Add(std::vector<AskedRun>& asked) {
    AskedRun& last = asked.back();
    if (asked.size() == 1) return;
    if (const auto answer = server::CompareSessions(*asked.front().session, *last.session)) {
      all_.emplace_back(asked.front().id + " " + last.id,
                        CompactJson(ToJson(*answer, kOtherLanguages)));
    }
    last.session.reset();
  }
  void Put(Data& data) const {
    for (const auto& [ids, json] : all_) data.AddMember(ids, json);
  }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

server::RunView ViewOf(const server::SourceRun& run, const Result<AskedRun>& asked) {
  server::RunView view{.id = run.id,
                       .name = run.name,
                       .path = run.run.path,
                       .state = server::RunState::kReady,
                       .progress = {},
                       .error = {}};
  if (!asked) {
    view.state = server::RunState::kFailed;
    view.error = asked.error();
  }
  return view;
}

void RedactPaths(std::vector<server::PathView>& views, const RedactOptions& options) {
  for (server::PathView& view : views) {
    view.name = RedactedPath(view.name, options);
    view.path = RedactedPath(view.path, options);
  }
}

// What the page says of its runs and ledgers, without what is private. A run that was read knows
// which names are.
void RedactViews(std::vector<server::RunView>& views, const std::vector<AskedRun>& asked,
                 std::vector<server::LedgerView>& ledgers, const RedactOptions& options) {
  for (server::RunView& view : views) {
    const auto run = std::ranges::find(asked, view.id, &AskedRun::id);
    view.path = run == asked.end() ? RedactedPath(view.path, options) : run->path;
    const std::string last = view.path.substr(view.path.rfind('/') + 1);
    const auto same = [&](const server::RunView& other) {
      return &other != &view && other.name == last;
    };
    view.name = std::ranges::any_of(views, same) ? view.path : last;
    if (!view.error) continue;
    for (std::string* text : {&view.error->what, &view.error->where, &view.error->hint})
      *text = RedactedText(*text, options);
  }
  RedactPaths(ledgers, options);
}

// Tells the page the language in which it opens.
void OpenIn(Language language, std::string& page) {
  constexpr std::string_view kRoot = "<html";
  if (const size_t root = page.find(kRoot); root != page.npos)
    page.insert(root + kRoot.size(), fmt::format(" data-language=\"{}\"", LanguageCode(language)));
}

Result<void> RedactIfAsked(ReportSet& answer, const ReportPageOptions& options) {
  return options.redact ? RedactAnswer(answer, *options.redact) : Result<void>();
}

// The answer about a ledger, and its first jobs in full: `jobs` gets "LEDGER N" and the JSON of job
// N of its table.
Result<void> PutLedger(server::Ledgers& answers, const server::LedgerView& ledger,
                       const ReportPageOptions& options, Data& data,
                       std::vector<std::pair<std::string, std::string>>& jobs) {
  constexpr size_t kMostJobs = 20;
  auto answer = answers.Ask(ledger.path, "");
  if (!answer) return std::unexpected(answer.error());
  const auto names = server::JobsIn(*answer);
  for (size_t j = 1; j < std::min(names.size(), kMostJobs); ++j) {
    auto of_job = answers.AskJob(ledger.path, names[j]);
    if (of_job) {
      if (auto done = RedactIfAsked(*of_job, options); !done) return done;
      jobs.emplace_back(fmt::format("{} {}", ledger.id, j),
                        CompactJson(ToJson(*of_job, kOtherLanguages)));
    }
  }
  if (auto done = RedactIfAsked(*answer, options); !done) return done;
  data.AddMember(ledger.id, CompactJson(ToJson(*answer, kOtherLanguages)));
  return {};
}

// The answer about what files of their own tell, such as a memory snapshot.
Result<void> PutAnswer(Result<ReportSet> answer, const std::string& id,
                       const ReportPageOptions& options, Data& data, PageFile& file) {
  if (!answer) return std::unexpected(answer.error());
  file.inputs.insert(file.inputs.end(), answer->run.files.begin(), answer->run.files.end());
  if (auto done = RedactIfAsked(*answer, options); !done) return done;
  data.AddMember(id, CompactJson(ToJson(*answer, kOtherLanguages)));
  return {};
}

// The goodput of the job that a run is of.
Result<void> PutGoodput(const server::Ledgers& answers, const AskedRun& run,
                        const std::vector<server::LedgerView>& ledgers,
                        const ReportPageOptions& options, Data& data) {
  if (ledgers.empty()) return {};
  auto found = answers.AskRun(run.of_job, ledgers);
  if (!found) return std::unexpected(found.error());
  if (auto done = RedactIfAsked(found->answer, options); !done) return done;
  data.AddMember(run.id,
                 CompactJson(ToJson(server::WithLedger(std::move(*found)), kOtherLanguages)));
  return {};
}

}  // namespace

Result<PageFile> ReportPage(const ReportPageOptions& given) {
  ReportPageOptions options = given;
  if (options.redact) {
    auto redact = WithKey(*options.redact);  // one for all runs and ledgers
    if (!redact) return std::unexpected(redact.error());
    options.redact = std::move(*redact);
  }
  if (auto checked = server::CheckPage(); !checked) return std::unexpected(checked.error());
  if (const auto checked = server::CheckPaths(options.paths); !checked) {
    return std::unexpected(checked.error());
  }
  if (const auto checked = server::CheckFiles(options.hangs); !checked) {
    return std::unexpected(checked.error());
  }
  if (const auto checked = server::CheckFiles(options.goodput.scheduler_files); !checked) {
    return std::unexpected(checked.error());
  }
  const server::Sources sources = server::FindSources(options.paths, nullptr, options.hangs);
  if (sources.runs.empty() && sources.ledgers.empty() && sources.hangs.empty() &&
      sources.snapshots.empty()) {
    return std::unexpected(
        Error{"no traces (*.json, *.json.gz, *.xplane.pb, *.sqlite, *.pftrace) here",
              options.paths[0], "give a directory of traces, or trace files"});
  }
  auto page = Gunzip(server::OneFilePageGzip());
  if (!page) return std::unexpected(page.error());
  PageFile file;
  Data data(options.redact.has_value());
  data.Begin(fmt::format(R"({{"analyses":{},"answers":{{)", CompactJson(server::AnalysesJson())));
  std::vector<AskedRun> asked;
  Comparisons comparisons;
  std::vector<server::RunView> views;
  for (const server::SourceRun& run : sources.runs) {
    auto one = AskRun(run, options, data, file);
    views.push_back(ViewOf(run, one));
    if (one) {
      asked.push_back(std::move(*one));
      comparisons.Add(asked);
    } else {
      file.failed.push_back(one.error());
    }
  }
  if (asked.empty() && !file.failed.empty()) return std::unexpected(file.failed.front());
  std::vector<server::LedgerView> ledgers = sources.ledgers;
  std::vector<server::HangView> hangs = sources.hangs;
  std::vector<server::SnapshotView> snapshots = sources.snapshots;
  if (options.redact) {
    RedactViews(views, asked, ledgers, *options.redact);
    RedactPaths(hangs, *options.redact);
    for (server::SnapshotView& snapshot : snapshots)
      snapshot.name = RedactedPath(snapshot.name, *options.redact);
  }
  data.Begin(fmt::format(R"(}},"state":{},"ledgers":{{)",
                         CompactJson(server::StateJson(views, ledgers, hangs, snapshots, false))));
  server::Ledgers answers(options.goodput);
  std::vector<std::pair<std::string, std::string>> jobs;
  for (const server::LedgerView& ledger : sources.ledgers) {
    auto put = PutLedger(answers, ledger, options, data, jobs);
    if (!put) return std::unexpected(put.error());
  }
  data.Begin(R"(},"snapshots":{)");
  for (const server::SnapshotView& snapshot : sources.snapshots) {
    const auto put = PutAnswer(server::AskSnapshot(snapshot), snapshot.id, options, data, file);
    if (put) continue;
    if (sources.runs.empty() && sources.ledgers.empty() && sources.hangs.empty() &&
        sources.snapshots.size() == 1)
      return std::unexpected(put.error());
    file.failed.push_back(put.error());
  }
  data.Begin(R"(},"hangs":{)");
  for (const server::HangView& hang : sources.hangs) {
    auto answer = FindHang(std::vector{hang.path}, {.threads = options.threads});
    const auto put = PutAnswer(std::move(answer), hang.id, options, data, file);
    if (!put) return std::unexpected(put.error());
  }
  data.Begin(R"(},"jobs":{)");
  for (const auto& [id, json] : jobs) data.AddMember(id, json);
  data.Begin(R"(},"goodput":{)");
  for (const AskedRun& run : asked) {
    if (auto put = PutGoodput(answers, run, sources.ledgers, options, data); !put) {
      return std::unexpected(put.error());
    }
  }
  if (!asked.empty()) asked.front().session.reset();
  data.Begin(R"(},"comparisons":{)");
  comparisons.Put(data);
  // What is written in any case; of a timeline its tracks and details too, which pack well.
  data.Begin(R"(},"timelines":{)");
  const size_t used = page->size() + data.Size();
  const size_t room =
      (options.most_bytes - std::min(options.most_bytes, used)) / std::max<size_t>(1, asked.size());
  std::string blocks;
  for (const auto& [id, path, timeline, grids, session, of_job] : asked) {
    blocks += GridBlocks(id, grids);
    if (!timeline) continue;  // the page says that the file holds none
    const auto embedded =
        server::EmbedTimeline(*timeline, room - room / kPartForDetails, options.threads);
    data.AddMember(id, embedded.json);
    for (const auto& [level, tiles] : embedded.tiles) {
      blocks += DataBlock(fmt::format("tiles-{}.{}", id, level), tiles);
    }
  }
  const size_t place = page->find(server::kDataPlace);
  if (place == page->npos) return std::unexpected(Error{"this page has no place for data", "", ""});
  data.Begin(fmt::format(R"(}},"pseudonyms":{})", data.PseudonymsJson()));
  blocks += DataBlock("data", std::move(data).End("}"));
  page->replace(place, server::kDataPlace.size(), blocks);
  if (options.language) OpenIn(*options.language, *page);
  file.html = std::move(*page);
  return file;
}

}  // namespace stepscope
