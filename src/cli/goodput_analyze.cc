// stepscope goodput analyze: reports where the time of a job went.
#include <memory>
#include <string>
#include <utility>

#include "cli/answer.h"
#include "cli/goodput.h"
#include "cli/goodput_question.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

struct GoodputFlags {
  GoodputQuestion question;
  OutputFlags output;
};

int RunGoodputAnalyze(const GoodputFlags& flags) {
  ProgressLine line;
  GoodputQuestion question = flags.question;
  question.walk.on_progress = [&](const Progress& progress) { line.Show(progress); };
  auto answer = AnswerGoodput(question);
  line.Clear();
  return PrintAndJudge(std::move(answer), flags.output);
}

}  // namespace

void AddGoodputAnalyze(Command& goodput) {
  auto flags = std::make_shared<GoodputFlags>();
  Command& command = goodput.Sub("analyze", "Report where the time of a job went");
  AddGoodputEvents(command, flags->question);
  AddOutput(command, flags->output, "goodput.goodput_ratio<90%");
  AddGoodputContext(command, flags->question);
  const std::string events = "stepscope goodput analyze --events job.jsonl ";
  command.Examples(
      {{"a job's log", "stepscope goodput analyze --events job.jsonl.gz"},
       {"a job of a ledger", "stepscope goodput analyze --store ledger --job NAME"},
       {"a running job", events + "--at now"},
       {"one hour", events + "--window 1780000000..1780003600"},
       {"without a planned pause", events + "--exclude 1780000000..1780086400"},
       {"numbers of ml-goodput-measurement 0.2.3", events + "--mode ml-goodput"},
       {"with queueing, MFU and cost",
        events + "--scheduler sacct.txt --scheduler-job 4711 --model config.json --chip H100 "
                 "--price-per-chip-hour 2.5"},
       {"exit 1 if goodput is below 90%", events + "--fail-on 'goodput.goodput_ratio<90%'"}});
  command.Notes(
      "Events are JSON lines of ml-goodput-measurement or of a recorder, or Cloud Logging "
      "exports;\n"
      "plain or gzip. --scheduler reads sacct -D -X --parsable2, scontrol show job, and kubectl "
      "get\n"
      "events -o json. 'stepscope report LEDGER' writes the same as HTML.");
  command.Runs([flags] { return RunGoodputAnalyze(*flags); });
}

}  // namespace stepscope::cli
