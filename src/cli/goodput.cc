// stepscope goodput: the share of a job's time spent in kept steps.
#include "cli/goodput.h"

#include "cli/root.h"

namespace stepscope::cli {

void AddGoodput(Command& root) {
  Command& goodput = root.Sub("goodput", "Measure and model the goodput of long jobs");
  goodput.Examples(
      {{"report where the time of a job went", "stepscope goodput analyze --events job.jsonl.gz"},
       {"keep its events in a directory", "stepscope goodput import job.jsonl.gz --store ledger"},
       {"take events over HTTP, serve metrics to Prometheus", "stepscope goodput collect DIR"},
       {"show running jobs", "stepscope goodput watch DIR"},
       {"estimate goodput",
        "stepscope goodput model expect --mtbf 3h --save-time 60s --restart-time 10m"}});
  AddGoodputAnalyze(goodput);
  AddGoodputMfu(goodput);
  AddGoodputModel(goodput);
  AddGoodputImport(goodput);
  AddGoodputJobs(goodput);
  AddGoodputFleet(goodput);
  AddGoodputPublish(goodput);
  AddGoodputExport(goodput);
  AddGoodputCheck(goodput);
  AddGoodputRepair(goodput);
  AddGoodputCompact(goodput);
  AddGoodputRename(goodput);
  AddGoodputDelete(goodput);
  AddGoodputCollect(goodput);
  AddGoodputSend(goodput);
  AddGoodputWatch(goodput);
}

}  // namespace stepscope::cli
