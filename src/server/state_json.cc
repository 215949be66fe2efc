// What there is to ask about, as JSON.
#include "report/json_writer.h"
#include "server/api.h"

namespace stepscope::server {
namespace {

constexpr auto kOneLine = JsonWriter::Form::kOneLine;

void PutText(JsonWriter& json, std::string_view key, std::string_view value) {
  json.Key(key);
  json.String(value);
}

void PutInt(JsonWriter& json, std::string_view key, int64_t value) {
  json.Key(key);
  json.Int(value);
}

void PutProgress(JsonWriter& json, const Progress& progress) {
  json.Key("progress");
  json.BeginObject(kOneLine);
  PutInt(json, "bytes_done", progress.bytes_done);
  PutInt(json, "bytes_total", progress.bytes_total);
  PutInt(json, "files_done", progress.files_done);
  PutInt(json, "files_total", progress.files_total);
  json.End();
}

void PutError(JsonWriter& json, const std::optional<Error>& error) {
  json.Key("error");
  if (!error) return json.Null();
  json.BeginObject(kOneLine);
  PutText(json, "what", error->what);
  PutText(json, "where", error->where);
  PutText(json, "hint", error->hint);
  json.End();
}

void PutRun(JsonWriter& json, const RunView& run) {
  json.BeginObject();
  PutText(json, "id", run.id);
  PutText(json, "name", run.name);
  PutText(json, "path", run.path);
  PutText(json, "state", RunStateName(run.state));
  PutInt(json, "revision", run.revision);
  PutProgress(json, run.progress);
  PutError(json, run.error);
  json.End();
}

void PutAnalysis(JsonWriter& json, const AnalysisInfo& analysis) {
  json.BeginObject();
  PutText(json, "name", analysis.name);
  PutText(json, "title", analysis.title);
  PutText(json, "doc", analysis.doc);
  json.Key("params");
  json.BeginArray();
  for (const ParameterInfo& param : analysis.params) {
    json.BeginObject(kOneLine);
    PutText(json, "name", param.name);
    PutText(json, "type", param.type);
    PutText(json, "default", param.default_value);
    PutText(json, "unit", param.unit);
    PutText(json, "doc", param.says);
    json.End();
  }
  json.End();
  json.End();
}

}  // namespace

std::string StateJson(const std::vector<RunView>& runs, const std::vector<LedgerView>& ledgers) {
  JsonWriter json;
  json.BeginObject();
  PutText(json, "version", STEPSCOPE_VERSION);
  json.Key("runs");
  json.BeginArray();
  for (const RunView& run : runs) PutRun(json, run);
  json.End();
  json.Key("ledgers");
  json.BeginArray();
  for (const LedgerView& ledger : ledgers) {
    json.BeginObject(kOneLine);
    PutText(json, "id", ledger.id);
    PutText(json, "name", ledger.name);
    json.End();
  }
  json.End();
  json.End();
  return std::move(json).Take() + "\n";
}

std::string AnalysesJson() {
  JsonWriter json;
  json.BeginArray();
  for (const AnalysisInfo& analysis : Session::List()) PutAnalysis(json, analysis);
  json.End();
  return std::move(json).Take() + "\n";
}

}  // namespace stepscope::server
