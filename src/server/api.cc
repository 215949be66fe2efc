// Maps addresses to answers.
#include "server/api.h"

#include <algorithm>
#include <optional>
#include <span>
#include <stop_token>

#include "http/url.h"
#include "server/ledger_answer.h"
#include "server/page.h"
#include "server/timeline_api.h"
#include "server/trace_api.h"
#include "server/watched.h"
#include "stepscope/compare.h"
#include "stepscope/hang.h"
#include "stepscope/plugin.h"
#include "stepscope/write.h"

namespace stepscope::server {
namespace {

using http::Url;

using BodyPtr = std::shared_ptr<const Body>;
using Path = std::span<const std::string>;

constexpr const char* kJson = "application/json";
constexpr size_t kMostRanks = 65'536;
constexpr int64_t kMostDrop = int64_t{1} << 53;

std::unexpected<Failure> Fail(int status, Error error) {
  return std::unexpected(Failure{status, std::move(error)});
}

std::unexpected<Failure> NothingThere(std::string_view target) {
  return Fail(404, {"unknown address", std::string(target), ""});
}

BodyPtr JsonBody(std::string text) { return MakeBody(kJson, std::move(text)); }

// "steps", "only", "ranks", and "param" as often as wanted: those of `analyze`.
Attempt<AnalyzeOptions> QuestionOf(const Url& url) {
  AnalyzeOptions question{.only = url.List("only")};
  if (url.Has("steps") && !url.Get("steps").empty()) question.steps = url.Get("steps");
  auto ranks = url.Numbers("ranks", kMostRanks);
  if (!ranks) return Fail(400, ranks.error());
  question.ranks = std::move(*ranks);
  for (const auto& [name, value] : url.query) {
    if (name != "param") continue;
    const size_t equals = value.find('=');
    if (equals == value.npos) {
      return Fail(400, {"cannot read this parameter", value, "param=analysis.param=value"});
    }
    question.params.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  return question;
}

Attempt<BodyPtr> AnswerOf(Runs& runs, const std::string& id, const Url& url, const Gone& gone) {
  const auto question = QuestionOf(url);
  if (!question) return std::unexpected(question.error());
  const auto run = runs.Get(id, gone);
  if (!run) return std::unexpected(run.error());
  return (*run)->Answer(*question, gone, url.Get("brief") == "1");
}

// Of a table that the answer to the same question has cut; `column`: these numbers of it.
Attempt<BodyPtr> GridOfRun(Runs& runs, const std::string& id, const Url& url, const Gone& gone) {
  const auto question = QuestionOf(url);
  if (!question) return std::unexpected(question.error());
  const auto run = runs.Get(id, gone);
  if (!run) return std::unexpected(run.error());
  std::string name(url.Get("table"));
  if (url.Has("column")) name.append(".").append(url.Get("column"));
  return (*run)->Grid(*question, name, gone);
}

Attempt<BodyPtr> Comparison(Runs& runs, const Url& url, const Gone& gone) {
  auto question = QuestionOf(url);
  if (!question) return std::unexpected(question.error());
  if (question->only.empty()) {
    question->only = ComparedAnalyses();
  }
  std::optional<Failure> failure;  // of a run, with its status
  const auto ask = [&](std::string_view which) -> AskForRanks {
    return [&, which](const auto& ranks) -> Result<std::shared_ptr<const ReportSet>> {
      const auto run = runs.Get(std::string(url.Get(which)), gone);
      AnalyzeOptions of_run = *question;
      if (!ranks.empty()) of_run.ranks = ranks;
      auto answer =
          run ? (*run)->Analyze(of_run, gone) : Attempt<ReportSet>(std::unexpected(run.error()));
      if (answer) return std::make_shared<const ReportSet>(*std::move(answer));
      failure = std::move(answer).error();
      return std::unexpected(failure->error);
    };
  };
  const auto both = AskBoth(ask("base"), ask("with"), !question->ranks.empty());
  if (!both && failure) return std::unexpected(*failure);
  if (!both) return Fail(422, both.error());
  const CompareOptions options{.short_names = url.Get("short_names") == "1"};
  return JsonBody(ToJson(Compare(*both, options), kOtherLanguages));
}

Attempt<BodyPtr> LedgerAnswer(const Runs& runs, Ledgers& asked, const std::string& id,
                              const Url& url) {
  const auto ledgers = runs.Ledgers();
  const auto ledger = std::ranges::find(ledgers, id, &LedgerView::id);
  if (ledger == ledgers.end()) {
    return Fail(404, {"there is no such ledger", id, "/api/state lists them"});
  }
  const auto answer = asked.Ask(ledger->path, std::string(url.Get("job")));
  if (!answer) return Fail(422, answer.error());
  return JsonBody(ToJson(*answer, kOtherLanguages));
}

Attempt<BodyPtr> SnapshotAnswer(const Runs& runs, Snapshots& asked, const std::string& id,
                                const Gone& gone) {
  const auto snapshots = runs.Snapshots();
  const auto snapshot = std::ranges::find(snapshots, id, &SnapshotView::id);
  if (snapshot == snapshots.end())
    return Fail(404, {"there is no such memory snapshot", id, "/api/state lists them"});
  return asked.Ask(*snapshot, gone);
}

Attempt<BodyPtr> HangAnswer(const Runs& runs, const std::string& id, const Gone& gone) {
  const auto hangs = runs.Hangs();
  const auto hang = std::ranges::find(hangs, id, &HangView::id);
  if (hang == hangs.end()) {
    return Fail(404, {"there is no such hang", id, "/api/state lists them"});
  }
  std::stop_source stop;
  const Watched watched(gone, [&] { stop.request_stop(); });
  const auto answer = FindHang(std::vector{hang->path}, {.stop = stop.get_token()});
  if (!answer && stop.stop_requested()) return std::unexpected(kNobodyThere);
  if (!answer) return Fail(422, answer.error());
  return JsonBody(ToJson(*answer, kOtherLanguages));
}

// Of the job that a run is of, if it is of one.
Attempt<BodyPtr> GoodputOfRun(Runs& runs, const Ledgers& ledgers, const std::string& id,
                              const Gone& gone) {
  const auto run = runs.Get(id, gone);
  if (!run) return std::unexpected(run.error());
  auto found = ledgers.AskRun((*run)->of_job(), runs.Ledgers());
  if (!found) return Fail(422, found.error());
  return JsonBody(ToJson(WithLedger(std::move(*found)), kOtherLanguages));
}

// A part of a file of a drop; or, with done=1, the id of the run that its files are.
Attempt<BodyPtr> TakeFile(Runs& runs, Dropped& dropped, const Url& url, const Request& request) {
  const auto drop = url.Integer("drop", 0, kMostDrop);
  if (!drop) return Fail(400, drop.error());
  if (url.Get("done") != "1") {
    const auto at = url.Integer("at", 0, kMostDrop);
    if (!at) return Fail(400, at.error());
    const auto kept = dropped.Append(static_cast<uint64_t>(*drop), url.Get("name"),
                                     static_cast<uint64_t>(*at), request.body);
    if (!kept) return Fail(422, kept.error());
    return JsonBody("{}");
  }
  const auto folder = dropped.Finish(static_cast<uint64_t>(*drop));
  if (!folder) return Fail(422, folder.error());
  const auto id = runs.Add(*folder);
  if (!id) return Fail(422, id.error());
  return JsonBody("{\"id\": \"" + *id + "\"}");
}

constexpr int64_t kMostSqlRows = 100'000, kSqlRows = 10'000;

// The name of each run that is asked, as the page lists it; without any, the first.
Attempt<SqlAsk> SqlOf(Runs& runs, const Url& url, const Gone& gone) {
  auto question = QuestionOf(url);
  if (!question) return std::unexpected(question.error());
  const auto rows = url.Integer("limit", 1, kMostSqlRows, kSqlRows);
  if (!rows) return Fail(400, rows.error());
  SqlAsk ask{.statement = std::string(url.Get("sql")),
             .client = std::string(url.Get("client")),
             .rows = *rows,
             .question = std::move(*question),
             .runs = {}};
  std::vector<std::string> ids = url.List("runs");
  std::ranges::sort(ids);  // who asks several at once waits for them in one order
  const auto again = std::ranges::unique(ids);
  ids.erase(again.begin(), again.end());
  for (const std::string& id : ids) {
    const auto run = runs.Get(id, gone);
    if (!run) return std::unexpected(run.error());
    const auto list = runs.List();
    const auto view = std::ranges::find(list, id, &RunView::id);
    ask.runs.emplace_back(view == list.end() ? id : view->name, *run);
  }
  if (ask.runs.empty()) return Fail(400, {"missing runs to ask", "runs", "runs=ID,..."});
  return ask;
}

Attempt<BodyPtr> SqlAnswer(Runs& runs, SqlBox& box, const Url& url, const Gone& gone) {
  const auto ask = SqlOf(runs, url, gone);
  if (!ask) return std::unexpected(ask.error());
  return box.Answer(*ask, gone);
}

constexpr int64_t kLongestCapture = 600'000;  // ms

// Begins one: its number. Or ends the one that runs.
Attempt<BodyPtr> Capture(Captures& captures, Path path, const Url& url) {
  if (path.size() == 2 && path[1] == "stop") {
    captures.Stop();
    return JsonBody("{}");
  }
  if (path.size() != 1) return Fail(404, {"unknown address", "", ""});
  CaptureAsk ask{.door = std::string(url.Get("door")),
                 .servers = std::string(url.Get("servers")),
                 .job = std::string(url.Get("job")),
                 .dry_run = url.Get("dry_run") == "1"};
  if (url.Has("for")) {
    const auto milliseconds = url.Integer("for", 1, kLongestCapture);
    if (!milliseconds) return Fail(400, milliseconds.error());
    ask.duration = *milliseconds * 1'000'000;
  }
  auto pids = url.Numbers("pids", kMostRanks);
  if (!pids) return Fail(400, pids.error());
  ask.pids = std::move(*pids);
  const auto number = captures.Start(std::move(ask));
  if (!number) return Fail(422, number.error());
  return JsonBody("{\"number\": " + std::to_string(*number) + "}");
}

struct Answering {
  const Gate& gate;
  Runs& runs;
  Dropped& dropped;
  Ledgers& ledgers;
  Snapshots& snapshots;
  Captures& captures;
  SqlBox& sql;
  const TraceDoor& traces;
};

Attempt<BodyPtr> ApiAnswer(const Answering& by, Path path, const Url& url, const Request& request) {
  Runs& runs = by.runs;
  if (path.size() == 1 && path[0] == "analyses") return JsonBody(AnalysesJson());
  if (path.size() == 1 && path[0] == "captures") return JsonBody(by.captures.Json());
  if (path.size() == 1 && path[0] == "query") return SqlAnswer(runs, by.sql, url, request.gone);
  if (path.size() == 1 && path[0] == "compare") return Comparison(runs, url, request.gone);
  if (path.size() == 2 && path[0] == "ledgers") return LedgerAnswer(runs, by.ledgers, path[1], url);
  if (path.size() == 2 && path[0] == "snapshots")
    return SnapshotAnswer(runs, by.snapshots, path[1], request.gone);
  if (path.size() == 2 && path[0] == "hangs") return HangAnswer(runs, path[1], request.gone);
  if (path.size() == 3 && path[0] == "runs" && path[2] == "answer") {
    return AnswerOf(runs, path[1], url, request.gone);
  }
  if (path.size() == 3 && path[0] == "runs" && path[2] == "grid") {
    return GridOfRun(runs, path[1], url, request.gone);
  }
  if (path.size() == 3 && path[0] == "runs" && path[2] == "trace") {
    return TracesOfRank(runs, by.traces, path[1], url, request.gone);
  }
  if (path.size() == 3 && path[0] == "runs" && path[2] == "goodput") {
    return GoodputOfRun(runs, by.ledgers, path[1], request.gone);
  }
  if (path.size() >= 3 && path[0] == "runs" && path[2] == "timeline") {
    const auto run = runs.Get(path[1], request.gone);
    if (!run) return std::unexpected(run.error());
    return TimelineAnswer(**run, path.subspan(3), url, request.gone);
  }
  return NothingThere(request.target);
}

Attempt<BodyPtr> Find(const Answering& by, const Url& url, const Request& request) {
  const Path path = url.path;
  Runs& runs = by.runs;
  if (by.gate.TakesFiles(url)) return TakeFile(runs, by.dropped, url, request);
  if (Gate::OpensTraces(url)) return OpenOrCloseTraces(runs, by.traces, url, request.gone);
  if (by.gate.Acts(url)) return Capture(by.captures, path.subspan(1), url);
  if (path.size() == 2 && path[0] == "api" && path[1] == "state") {
    return JsonBody(
        StateJson(runs.List(), runs.Ledgers(), runs.Hangs(), runs.Snapshots(), by.gate.loopback()));
  }
  if (!path.empty() && path[0] == "api") return ApiAnswer(by, path.subspan(1), url, request);
  BodyPtr file;
  if (path.empty()) file = FindPageFile("index.html");
  if (path.size() == 2 && path[0] == "assets") file = FindPageFile("assets/" + path[1]);
  if (file == nullptr) return NothingThere(request.target);
  return file;
}

}  // namespace

std::optional<Response> Api::RefuseBody(const Request& request) const {
  if (!request.has_body) return std::nullopt;
  const auto url = http::ParseUrl(request.target);
  if (!url || !gate_.TakesFiles(*url)) {
    return Refusal(request, 413, {"cannot answer: the request has a body", "", ""});
  }
  return gate_.Stop(request, *url);
}

Response Api::Answer(const Request& request) const {
  const auto url = http::ParseUrl(request.target);
  if (!url) return Refusal(request, 400, {"cannot read the address", "", ""});
  if (auto stopped = gate_.Stop(request, *url)) return std::move(*stopped);
  const auto found = Find({.gate = gate_,
                           .runs = runs_,
                           .dropped = dropped_,
                           .ledgers = ledgers_,
                           .snapshots = snapshots_,
                           .captures = captures_,
                           .sql = sql_,
                           .traces = traces_},
                          *url, request);
  if (found) return {.status = 200, .headers = {}, .body = *found};
  const auto& [status, why] = found.error();
  return status == kNotYet ? NotYet(why) : Refusal(request, status, why);
}

}  // namespace stepscope::server
