// report.html: the page with its data inside.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/gzip.h"
#include "server/api.h"
#include "server/compact_json.h"
#include "server/embedded_timeline.h"
#include "server/ledger_answer.h"
#include "server/packed_text.h"
#include "server/page.h"
#include "server/sources.h"
#include "stepscope/server.h"
#include "stepscope/write.h"

namespace stepscope {
namespace {

using server::CompactJson;
using server::PackedText;

constexpr size_t kPartForDetails = 20;  // of the room of a timeline, one in so many bytes

// Members of the three objects of the data that are told by id.
struct Parts {
  std::string answers, ledgers, timelines;
};

// Data that no browser runs, and no page is shown: `text` as PackedText() gives it.
std::string DataBlock(std::string_view id, std::string_view text) {
  return fmt::format("<script type=\"text/plain\" id=\"stepscope-{}\">{}</script>\n", id, text);
}

void AddMember(std::string& members, const std::string& id, std::string_view json) {
  members += fmt::format("{}\"{}\":{}", members.empty() ? "" : ",", id, json);
}

Result<Session> OpenRun(const server::SourceRun& run, const ReportPageOptions& options) {
  const std::vector<std::string> paths = {run.run.path};
  return Session::Open(paths, {.analyses = {},
                               .threads = options.threads,
                               .keep_events = true,
                               .on_progress = options.on_progress});
}

// The reports of each run, and the timelines in memory: how much room they have is known only when
// all reports are there.
Result<std::vector<Result<Timeline>>> AskRuns(const server::Sources& sources,
                                              const ReportPageOptions& options, Parts& parts) {
  std::vector<Result<Timeline>> timelines;
  for (const server::SourceRun& run : sources.runs) {
    auto session = OpenRun(run, options);
    if (!session) return std::unexpected(session.error());
    const auto answer = session->Analyze();
    if (!answer) return std::unexpected(answer.error());
    AddMember(parts.answers, run.id, CompactJson(ToJson(*answer)));
    timelines.push_back(session->TakeTimeline());
  }
  return timelines;
}

std::string DataJson(const server::Sources& sources, const Parts& parts) {
  std::vector<server::RunView> runs;
  for (const server::SourceRun& run : sources.runs) {
    runs.push_back({.id = run.id,
                    .name = run.name,
                    .path = run.run.path,
                    .state = server::RunState::kReady,
                    .progress = {},
                    .error = {}});
  }
  return fmt::format(
      R"({{"state":{},"analyses":{},"answers":{{{}}},"ledgers":{{{}}},"timelines":{{{}}}}})",
      CompactJson(server::StateJson(runs, sources.ledgers)), CompactJson(server::AnalysesJson()),
      parts.answers, parts.ledgers, parts.timelines);
}

}  // namespace

Result<std::string> ReportPage(const ReportPageOptions& options) {
  if (const auto checked = server::CheckPaths(options.paths); !checked) {
    return std::unexpected(checked.error());
  }
  const server::Sources sources = server::FindSources(options.paths);
  if (sources.runs.empty() && sources.ledgers.empty()) {
    return std::unexpected(Error{"no traces (*.json, *.json.gz, *.xplane.pb) here",
                                 options.paths[0], "give a folder of traces, or trace files"});
  }
  auto page = Gunzip(server::OneFilePageGzip());
  if (!page) return page;
  Parts parts;
  const auto timelines = AskRuns(sources, options, parts);
  if (!timelines) return std::unexpected(timelines.error());
  for (const server::LedgerView& ledger : sources.ledgers) {
    const auto answer = server::AskLedger(ledger.path, "");
    if (!answer) return std::unexpected(answer.error());
    AddMember(parts.ledgers, ledger.id, CompactJson(ToJson(*answer)));
  }
  // What is written in any case; of a timeline its tracks and details too, which pack well.
  const size_t used = page->size() + PackedText(DataJson(sources, parts)).size();
  const size_t room = (options.most_bytes - std::min(options.most_bytes, used)) /
                      std::max<size_t>(1, timelines->size());
  std::string blocks;
  for (size_t k = 0; k < timelines->size(); ++k) {
    const auto& timeline = (*timelines)[k];
    if (!timeline) continue;  // the page says that the file holds none
    const auto embedded = server::EmbedTimeline(*timeline, room - room / kPartForDetails);
    const std::string& id = sources.runs[k].id;
    AddMember(parts.timelines, id, embedded.json);
    for (const auto& [level, tiles] : embedded.tiles) {
      blocks += DataBlock(fmt::format("tiles-{}.{}", id, level), tiles);
    }
  }
  const size_t place = page->find(server::kDataPlace);
  if (place == page->npos) return std::unexpected(Error{"this page has no place for data", "", ""});
  blocks += DataBlock("data", PackedText(DataJson(sources, parts)));
  page->replace(place, server::kDataPlace.size(), blocks);
  return page;
}

}  // namespace stepscope
