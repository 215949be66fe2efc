// Reads addresses, and asks Runs.
#include "server/trace_api.h"

#include <utility>

#include "base/json_writer.h"

namespace stepscope::server {
namespace {

using BodyPtr = std::shared_ptr<const Body>;

constexpr auto kCompact = JsonWriter::Form::kCompact;
constexpr int64_t kLastRank = int64_t{1} << 53;

std::unexpected<Failure> Fail(int status, Error error) {
  return std::unexpected(Failure{status, std::move(error)});
}

Attempt<int64_t> RankOf(const http::Url& url) {
  const auto rank = url.Integer("rank", 0, kLastRank);
  if (!rank) return Fail(400, rank.error());
  return *rank;
}

void PutTraces(JsonWriter& json, std::span<const RankTrace> traces) {
  json.Key("traces");
  json.BeginArray(kCompact);
  for (const RankTrace& trace : traces) {
    json.BeginObject(kCompact);
    json.Text("path", trace.path);
    json.Number("bytes", trace.bytes);
    json.End();
  }
  json.End();
}

}  // namespace

Attempt<BodyPtr> TracesOfRank(Runs& runs, const TraceDoor& door, const std::string& id,
                              const http::Url& url, const Gone& gone) {
  const auto rank = RankOf(url);
  if (!rank) return std::unexpected(rank.error());
  const auto run = runs.Get(id, gone);
  if (!run) return std::unexpected(run.error());
  auto traces = (*run)->TracesOf(*rank);
  if (!traces.empty() && traces.front().read) traces = {};
  JsonWriter json;
  json.BeginObject(kCompact);
  json.Number("rank", *rank);
  PutTraces(json, traces);
  json.Key("opens");
  json.Bool(door.open);
  json.End();
  return MakeBody("application/json", std::move(json).Take());
}

Attempt<BodyPtr> OpenOrCloseTraces(Runs& runs, const TraceDoor& door, const http::Url& url,
                                   const Gone& gone) {
  const std::string id(url.Get("run"));
  if (url.path.size() == 3 && url.path[2] == "close") {
    if (runs.CloseTrace(id)) return MakeBody("application/json", "{}");
    return Fail(404, {"no trace of a rank was opened as this run", id, "/api/state lists them"});
  }
  if (url.path.size() != 2) return Fail(404, {"unknown address", "", ""});
  const auto rank = RankOf(url);
  if (!rank) return std::unexpected(rank.error());
  if (!door.open)
    return Fail(403, {"a server beyond this host opens traces of allowed directories alone", "",
                      "start it with their directories: `trace_folders`"});
  const auto opened = runs.OpenTrace(id, *rank, gone);
  if (!opened) return std::unexpected(opened.error());
  return MakeBody("application/json", "{\"id\": \"" + *opened + "\"}");
}

}  // namespace stepscope::server
