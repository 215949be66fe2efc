// Serves the page, or writes it as one HTML file.
//
//   auto server = stepscope::PageServer::Start({.paths = {"traces/"}});
//   if (!server) return Print(server.error());
//   fmt::print("{}\n", server->url());            // http://127.0.0.1:40123/?token=...
//
// The page shows what Session answers and computes nothing. No request leaves the machine. A
// request must carry the token, name this server as its host, and not come from a page of another
// site. docs/serve.md lists the attacks that this stops, and those it does not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stepscope/goodput_report.h"
#include "stepscope/language.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

// Rows of a table that the page gets where nothing else is asked for: all of a job of as many
// ranks.
inline constexpr int64_t kMostPageRows = 20'000;

struct PageServerOptions {
  // Runs, folders of runs, ledgers of goodput, and what stuck jobs left behind. Folders are looked
  // at again and again: runs that appear there are shown, and those whose files change are read
  // anew.
  std::vector<std::string> paths;
  std::vector<std::string> hangs = {};  // what stuck jobs left behind, as for FindHang()
  StorageRef storage = nullptr;         // where some of the paths lie, as in OpenOptions
  // Where the traces of ranks must lie that a run of partials names and the page opens; none: where
  // the partials say, and on loopback only.
  std::vector<std::string> trace_folders = {};
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
  // Names besides those of this machine by which browsers call the server, as of a proxy.
  std::vector<std::string> allow_hosts = {};
  std::string token;      // empty: one that nobody can guess, on loopback only
  int threads = 0;        // to read traces with; 0: one per processor
  size_t keep = 4;        // so many runs stay in memory
  Settings settings;      // of every run
  int64_t max_input = 0;  // as in OpenOptions, of every run
  int64_t most_names = AnalyzeOptions().most_names;  // as in AnalyzeOptions, of every answer
  int64_t most_rows = kMostPageRows;                 // of a table, as for CutRows(); 0: all
  // Of a SQL statement of the page, as in QueryOptions: ns for reading and answering, bytes.
  int64_t query_timeout = 60'000'000'000;
  int64_t query_memory = 2'000'000'000;
  // What is known of the jobs of ledgers beside their events: scheduler files, chips, price,
  // program. The rest is ignored.
  GoodputReportOptions goodput = {};
  // How often folders are looked at.
  std::chrono::milliseconds look_every{2000};
};

class PageServer {
 public:
  // Listens; reads the runs in the background. Fails when a path does not exist, a setting is
  // wrong, it cannot listen there, or would listen beyond loopback without a token.
  static Result<PageServer> Start(const PageServerOptions& options);

  // The address with the token, for people.
  const std::string& url() const;
  // What they should know beside it; empty: nothing.
  const std::string& warning() const;

  PageServer(PageServer&&) noexcept;
  PageServer& operator=(PageServer&&) noexcept;
  // Answers what was asked and ends. What is being read is given up.
  ~PageServer();

 private:
  struct State;
  explicit PageServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct ReportPageOptions {
  std::vector<std::string> paths;       // as of a server
  std::vector<std::string> hangs = {};  // as of a server
  int threads = 0;
  Settings settings;                  // of every run
  int64_t max_input = 0;              // as in OpenOptions, of every run
  int64_t most_rows = kMostPageRows;  // as of a server
  GoodputReportOptions goodput = {};  // as of a server
  // What the file shall have at most, where reports alone do not need more: the timelines get what
  // is left.
  size_t most_bytes = 4'800'000;
  // Replace what is private in runs and ledgers, as in OpenOptions.
  std::optional<RedactOptions> redact = {};
  // In which it opens, unless its reader chose another; nothing: that of the browser.
  std::optional<Language> language = {};
  std::function<void(const Progress&)> on_progress;  // of one run after another
};

// One HTML file with the page, all reports of these runs and ledgers, and of each timeline whole
// levels of detail, as fine as fits, devices first; the file says from which duration on each
// event is in it. It opens offline and sends no request.
struct PageFile {
  std::string html;
  std::vector<InputFile> inputs;  // the traces, of all runs; those with a problem too
  std::vector<Error> failed;      // runs that could not be read: the page says so as well
};

// Fails when a path leads to nothing, or when none of several runs can be read.
Result<PageFile> ReportPage(const ReportPageOptions& options);

}  // namespace stepscope
