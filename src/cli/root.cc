// Adds every command, in the order of help.
#include "cli/root.h"

namespace stepscope::cli {

std::unique_ptr<Command> Root() {
  auto root = std::make_unique<Command>("stepscope", "Show where training time goes");
  root->Examples({{"try it on a synthetic job", "stepscope demo /tmp/job"},
                  {"analyze all ranks of a job", "stepscope analyze traces/"},
                  {"describe an analysis", "stepscope explain comm_overlap"}});
  root->Notes(
      "Exit codes: 0: done, 1: a --fail-on condition holds, 2: error. Errors state what failed,\n"
      "where, and what to try.");
  AddAnalyze(*root);
  AddWhatif(*root);
  AddHang(*root);
  AddMemory(*root);
  AddCompare(*root);
  AddBrief(*root);
  AddShow(*root);
  AddTable(*root);
  AddQuery(*root);
  AddMcp(*root);
  AddSkill(*root);
  AddExport(*root);
  AddRedact(*root);
  AddServe(*root);
  AddReport(*root);
  AddList(*root);
  AddExplain(*root);
  AddDemo(*root);
  AddPartials(*root);
  AddCluster(*root);
  AddCapture(*root);
  AddWatch(*root);
  AddGoodput(*root);
  AddCompletions(*root);
  AddMan(*root);
  return root;
}

}  // namespace stepscope::cli
