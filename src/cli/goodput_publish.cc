// stepscope goodput publish: writes accounted jobs into a database.
#include "stepscope/goodput_publish.h"

#include <memory>
#include <string>

#include "cli/answer.h"
#include "cli/goodput.h"

namespace stepscope::cli {
namespace {

struct PublishFlags {
  GoodputPublishOptions options;
  OutputFlags output;
};

int RunPublish(const PublishFlags& flags) {
  return PrintAndJudge(GoodputPublish(flags.options), flags.output);
}

}  // namespace

void AddGoodputPublish(Command& goodput) {
  auto flags = std::make_shared<PublishFlags>();
  GoodputPublishOptions& options = flags->options;
  Command& command = goodput.Sub("publish", "Write the accounted jobs of a ledger into a database");
  command.Take("--store", options.store).Required();
  command.Take("--to", options.to)
      .Help("Database: postgresql:// or clickhouse:// with USER@HOST/DB")
      .Required();
  command.Take("--ledger-name", options.ledger_name);
  command.Take("--chips-per-job", options.chips_per_job).Range(0, 1e9);
  command.Take("--keep-months", options.keep_months).Range(1, 1200);
  command.Switch("--remove-absent", options.remove_absent);
  AddOutput(command, flags->output, "goodput_publish.absent>0");
  command.Examples({{"into PostgreSQL",
                     "stepscope goodput publish --store ledger --to postgresql://grafana@db/fleet"},
                    {"into ClickHouse, and keep 13 months",
                     "stepscope goodput publish --store ledger --to clickhouse://db:8123/goodput "
                     "--keep-months 13"}});
  command.Notes(
      "Run it as often as dashboards shall be fresh: only jobs that changed are written, and rows\n"
      "never count twice. Passwords: PGPASSWORD, ~/.pgpass or CLICKHOUSE_PASSWORD. Missing tables\n"
      "are created, in the schema or database goodput. docs/fleet.md has questions to them.");
  command.Runs([flags] { return RunPublish(*flags); });
}

}  // namespace stepscope::cli
