// Writes runs, ledgers and analyses as JSON.
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_writer.h"
#include "language/words_json.h"
#include "server/api.h"
#include "server/page.h"
#include "server/refusal.h"
#include "stepscope/language.h"

namespace stepscope::server {
namespace {

constexpr auto kOneLine = JsonWriter::Form::kOneLine;

void PutProgress(JsonWriter& json, const Progress& progress) {
  json.Key("progress");
  json.BeginObject(kOneLine);
  json.Number("bytes_done", progress.bytes_done);
  json.Number("bytes_total", progress.bytes_total);
  json.Number("files_done", progress.files_done);
  json.Number("files_total", progress.files_total);
  json.End();
}

void PutRun(JsonWriter& json, const RunView& run) {
  json.BeginObject();
  json.Text("id", run.id);
  json.Text("name", run.name);
  json.Text("path", run.path);
  json.Text("state", RunStateName(run.state));
  json.Number("revision", run.revision);
  json.Key("timeline");
  json.Bool(run.has_timeline);
  PutProgress(json, run.progress);
  PutError(json, "error", run.error);
  if (!run.part_of.empty()) {
    json.Key("trace_of");
    json.BeginObject(kOneLine);
    json.Text("run", run.part_of);
    json.Number("rank", run.rank);
    json.End();
  }
  json.End();
}

template <class View>
void PutViews(JsonWriter& json, std::string_view key, const std::vector<View>& views) {
  json.Key(key);
  json.BeginArray();
  for (const View& view : views) {
    json.BeginObject(kOneLine);
    json.Text("id", view.id);
    json.Text("name", view.name);
    json.End();
  }
  json.End();
}

// What people read of an analysis, in a language, by its English. Only what differs.
std::map<std::string, std::string> WordsOf(const AnalysisInfo& analysis, Language language) {
  std::vector<Phrase> texts = {analysis.title};
  for (const ParameterInfo& param : analysis.params) texts.emplace_back(param.message);
  auto words = WordsIn(language, texts);
  std::string doc = DocIn(language, analysis.name, analysis.doc);
  if (doc != analysis.doc) words.emplace(analysis.doc, std::move(doc));
  return words;
}

void PutAnalysis(JsonWriter& json, const AnalysisInfo& analysis) {
  json.BeginObject();
  json.Text("name", analysis.name);
  json.Text("title", analysis.title);
  json.Text("doc", analysis.doc);
  json.Key("params");
  json.BeginArray();
  for (const ParameterInfo& param : analysis.params) {
    json.BeginObject(kOneLine);
    json.Text("name", param.name);
    json.Text("type", param.type);
    json.Text("default", param.default_value);
    json.Text("unit", param.unit);
    json.Text("doc", param.message);
    json.End();
  }
  json.End();
  PutWords(json, kOtherLanguages, [&](Language other) { return WordsOf(analysis, other); });
  json.End();
}

}  // namespace

std::string StateJson(const std::vector<RunView>& runs, const std::vector<LedgerView>& ledgers,
                      const std::vector<HangView>& hangs,
                      const std::vector<SnapshotView>& snapshots, bool takes_files) {
  JsonWriter json;
  json.BeginObject();
  json.Text("version", STEPSCOPE_VERSION);
  json.Key("takes_files");
  json.Bool(takes_files);
  json.Key("runs");
  json.BeginArray();
  for (const RunView& run : runs) PutRun(json, run);
  json.End();
  PutViews(json, "ledgers", ledgers);
  PutViews(json, "hangs", hangs);
  PutViews(json, "snapshots", snapshots);
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
