// Lists the options.
#include "cli/vocabulary.h"

#include <algorithm>
#include <iterator>

namespace stepscope::cli {
namespace {

// In the order of use: what to read, how to judge it, what to write.
constexpr Word kWords[] = {
    // Questions about traces.
    {"--only", "NAME,...", "Run only these analyses", "all", "only"},
    {"--steps", "STEPS", "Steps to count: all, complete, or 3,5..7", "all", "steps"},
    {"--ranks", "N,...", "Ranks to count: numbers, or A..B", "all", "ranks"},
    {"-p,--param", "NAME=VALUE", "Set a parameter, as 'stepscope explain NAME' lists", "",
     "params"},
    {"--plugin", "FILE", "Analyses of your own in a Python file; repeatable", "", "plugin"},
    {"--groups", "FILE", "Custom kernel groups, as TOML", "", "groups"},
    {"--threads", "N", "Threads to use; 0 is one per CPU", "0", "threads"},
    {"--max-input", "SIZE", "Most bytes a compressed file inflates to", "64GB, 1000:1",
     "max_input"},
    {"--most-names", "N", "Most names in a table; 0 is all", "10000", "most_names"},
    {"--most-rows", "N", "Most rows of a table in the page; 0 is all", "20000", "most_rows"},
    {"--storage-option", "NAME=VALUE", "Set an option of URLs' file system; repeatable", "",
     "storage_options"},
    {"-q,--quiet", "", "Show no progress", "", ""},
    {"--full", "", "Print all tables and findings, with all rows", "", ""},
    {"--kernel", "PATTERN", "Show the rows that name such a kernel, '*' for any text", "",
     "kernel"},
    {"--operator", "PATTERN", "Show the rows that name such an operator", "", "op"},
    {"--budget", "TOKENS", "Most tokens to print, of four bytes each", "2000", "budget"},
    {"--where", "CONDITION", "Rows to print: rank=3, time>10ms, name=*gemm*; repeatable", "",
     "where"},
    {"--columns", "NAME,...", "Columns to print", "all but details", "columns"},
    {"--sort", "COLUMN", "Largest of this column first", "", "sort"},
    {"--top", "N", "Most rows to print", "20", "top"},
    {"--after", "ID", "Continue after the row with this id", "", "after"},
    {"--repro", "ID", "Print a PyTorch script of the call that 'shapes' lists as ID", "", "repro"},
    {"--set", "CHANGE", "Change to replay, such as 'kernel *gemm*: x0.7'; all are made together",
     "", "set"},
    {"--straggler", "", "Estimate what stragglers cost, by type, worker and stage", "", ""},
    {"--steps-before", "STEPS", "Steps of BEFORE", "--steps", "steps_before"},
    {"--steps-after", "STEPS", "Steps of AFTER", "--steps", "steps_after"},
    {"--ranks-before", "N,...", "Ranks of BEFORE", "--ranks", "ranks_before"},
    {"--ranks-after", "N,...", "Ranks of AFTER", "--ranks", "ranks_after"},
    {"--trace", "PATH", "Traces of the same process: operators, modules and steps", "", "trace"},
    {"--short-names", "", "Match kernels without template arguments", "", "short_names"},

    // SQL.
    {"--schema", "", "List the tables with columns, types and units", "", "query_schema"},
    {"--limit", "N", "Most rows to write; 0 is all", "0", ""},
    {"--memory-limit", "SIZE", "Most memory of DuckDB's own", "80% of the machine's",
     "query_memory"},
    {"--timeout", "TIME", "Give up after this time", "never", "query_timeout"},

    // Output.
    {"--format", "FORMAT", "Format: text, json, csv or markdown", "suffix of -o, else text",
     "format"},
    {"-o,--output", "FILE", "Write to this file", "standard output", "folder"},
    {"--lang", "LANGUAGE", "Language of what is said: en or ja", "that of the terminal", ""},
    {"--fail-on", "CONDITION", "Exit 1 if this condition holds", "", "conditions"},

    {"--no-redact", "", "Leave private names: hosts, users, paths and secrets", "", "redact"},

    // Traces for viewers.
    {"--chrome", "", "Write a JSON trace per rank for chrome://tracing (the default)", "", ""},
    {"--perfetto", "", "Write one Perfetto trace of all ranks on one clock", "", ""},
    {"--chakra", "", "Write a Chakra execution trace per rank, for simulators", "", ""},
    {"--parquet", "", "Write events and all tables of reports as Parquet", "", ""},
    {"--counters", "", "Add queue length and copy bandwidth", "", "counters"},
    {"--counter-series", "SERIES", "Counters to add: queue, bandwidth or both", "both",
     "counter_series"},
    {"--critical-path", "", "Add the critical path of the median complete step", "",
     "critical_path"},
    {"--annotation", "NAME", "Critical path of the range with this name", "", "annotation"},
    {"--instance", "N", "Index of that range, from 0", "0", "instance"},
    {"--last-instance", "N", "Index of the last range of the path", "that of --instance",
     "last_instance"},
    {"--only-critical", "", "Leave out activities that are not on the path", "", "only_critical"},
    {"--patterns", "OPERATOR", "Mark its most frequent kernel sequences", "", "patterns"},
    {"--pattern-length", "N", "Fewest kernels of a marked sequence", "3", "pattern_length"},
    {"--top-patterns", "N", "Number of sequences to mark", "5", "top_patterns"},

    // Servers.
    {"--host", "HOST", "Listen address; beyond loopback needs a token", "127.0.0.1", "host"},
    {"--port", "N", "Port to listen on; 0 takes a free one", "0", "port"},
    {"--allow-host", "NAME", "Another name of this server, as of a proxy", "", ""},
    {"--token-file", "FILE", "File with the token", "the token in STEPSCOPE_TOKEN", "token"},
    {"--token", "TOKEN", "Token, visible in ps", "the token in STEPSCOPE_TOKEN", ""},
    {"--open", "", "Open the page in a browser", "", ""},
    {"--keep", "N", "Runs kept in memory, the last viewed first", "4", "keep"},

    // Captures of running jobs.
    {"--for", "TIME", "Time to record", "500ms", "duration"},
    {"--iterations", "N", "Training steps to record, instead of a time", "", "iterations"},
    {"--dry-run", "", "List the processes, and why each would be traced or not", "", "dry_run"},
    {"--analyze", "", "Print the first screen of the run", "", ""},
    {"--keep-runs", "N", "Most runs below ~/.local/state, the oldest are removed", "20",
     "keep_runs"},
    {"--keep-bytes", "SIZE", "Most bytes of these runs, and of one run", "10GB", "keep_bytes"},
    {"--pid", "N,...", "Processes to trace", "all of one job", "pids"},
    {"--shapes", "", "Record the shapes of inputs", "", ""},
    {"--stacks", "", "Record Python stacks, which slows the job most", "", ""},
    {"--memory", "", "Ask for a memory snapshot; refused where it harms the job", "", "memory"},
    {"--addresses", "FILE", "File with an address in each line", "", "addresses"},
    {"--no-trace", "", "Ask for stacks and Flight Recorder alone", "", "profile"},
    {"--socket-dir", "DIR", "Directory of sockets: KINETO_IPC_SOCKET_DIR of the job", "none",
     "socket_folder"},
    {"--names", "FILE", "File of workers' names", "those of the environment", "names"},
    {"--host-level", "N", "Host: 0 nothing, 1 annotations, 2 operators, 3 all", "2", "host_level"},
    {"--device-level", "N", "Devices: 0 nothing, 1 all", "1", "device_level"},
    {"--python-level", "N", "Python: 0 nothing, 1 every call of a function", "0", "python_level"},
    {"--dataset-ops", "", "Record the operators of tf.data", "", "dataset_ops"},
    {"--delay", "TIME", "Time until all servers start together", "as short as it can be", "delay"},
    {"--snapshot-every", "TIME", "Record all of --for, fetch it this often", "at the end",
     "snapshot_every"},
    {"--stop-snapshots", "", "End continuous profiling that a killed capture left on", "",
     "stop_snapshots"},
    {"--monitor", "", "Print the use of TPUs again and again, every --for", "", ""},
    {"--level", "N", "Detail of --monitor, 1 or 2", "1", ""},
    {"--master", "HOST:PORT", "Server that profiles the others and writes itself", "none", ""},
    {"--repository", "DIR", "Where --master writes: gs://BUCKET/LOGS", "none", ""},
    {"--world-size", "N", "Workers that write a trace", "as the server or the files tell",
     "world_size"},

    // Shares of a job.
    {"--shard", "I/N", "Which share of the traces: 0/16, or auto", "auto", "shard"},
    {"--shards", "N", "Number of shares, where 'auto' must not ask for it", "", "shards"},
    {"--expect", "N", "Number of shares", "", "count"},

    // Clusters.
    {"--report", "FILE", "Report of all ranks", "report.txt in the directory", "report"},
    {"--image", "IMAGE", "Container image that has 'stepscope' on its PATH", "", "image"},
    {"--claim", "NAME", "PersistentVolumeClaim with the traces, for all pods", "", "claim"},
    {"--mount", "DIR", "Where pods mount the claim", "/data", "mount"},
    {"--service-account", "NAME", "Account of pods, whose rights they have in a bucket", "none",
     "service_account"},
    {"--jobset", "", "Write one JobSet instead of two jobs", "", "job_set"},

    // The synthetic job.
    {"--layers", "N", "Number of layers", "", "layers"},
    {"--seed", "N", "Random seed", "1", "seed"},
    {"--slow-rank", "N", "Ranks with slow compute kernels; -1 for none", "2, or the last",
     "slow_rank"},
    {"--ranks-per-host", "N", "Ranks of a host, which have one clock", "1", "ranks_per_host"},
    {"--slow-host", "N", "Host whose ranks wait longer for batches; -1 for none", "-1",
     "slow_host"},
    {"--slow-link", "N", "Ranks of this place in their hosts have slow collectives", "-1",
     "slow_link"},
    {"--tp", "N", "Ranks that share each layer: tensor parallel", "1", "tensor"},
    {"--pp", "N", "Stages of the pipeline", "1", "pipeline"},
    {"--ep", "N", "Replicas that share their experts: expert parallel", "1", "expert_groups"},
    {"--microbatches", "N", "Microbatches of a step, with such groups", "4", "microbatches"},
    {"--light", "", "Few events: 2 layers, no stacks, hosts of 8 ranks", "", "light"},
    {"--devices", "N", "Devices of each rank, in one process", "1", "devices"},
    {"--slow-device", "N", "Only this device of the slow rank is slow; -1: all", "-1",
     "slow_device"},
    {"--slow-factor", "N", "Slowdown of that rank's kernels", "1.25", "slow_factor"},
    {"--slow-since", "STEP", "First slow step; the job begins with step 3", "0", "slow_since"},
    {"--exposed", "SHARE", "Exposed share of all-reduce time", "0.4", "exposed_fraction"},
    {"--host-gap", "SHARE", "Host-bound share of each step", "0.08", "host_gap_fraction"},
    {"--gap-in-python", "", "Spend it in a Python function, not waiting for input", "",
     "gap_in_python"},
    {"--clock-spread", "TIME", "Largest clock error of a host", "0", "clock_spread"},
    {"--graph-capture", "TIME", "Time in which the first step records a CUDA graph", "0",
     "graph_capture"},
    {"--unknown-library", "", "Use all-reduce kernels with unrecognized names", "",
     "unknown_library"},
    {"--min-raw-bytes", "N", "Minimum size of each trace, in bytes", "0", "min_raw_bytes"},
    {"--no-stacks", "", "Leave out Python stacks and shapes", "", "stacks"},
    {"--no-compress", "", "Write .json instead of .json.gz", "", "compress"},

    // Events of a job.
    {"--events", "FILE...", "Files of events, in order (.jsonl, .json, .gz)", "", "files"},
    {"--store", "LEDGER", "Ledger: a directory or a postgresql:// address", "", "store"},
    {"--job", "NAME", "Job to report on, if there are several", "", "job"},
    {"--at", "WHEN", "End of a running job: seconds since 1970, or now", "now", "at"},
    {"--window", "A..B", "Count only this time, in seconds since 1970", "", "window"},
    {"--exclude", "A..B", "Leave out this time, or none; repeatable", "", "exclusions"},
    {"--mode", "MODE", "Accounting: partition, or that of ml-goodput", "partition", "mode"},
    {"--ideal-step-time", "TIME", "Time of a step from which deviations count", "the usual time",
     "ideal_step_time"},
    {"--most-steps", "N", "Most steps to list, the last ones", "10000", "most_steps"},
    {"--scheduler", "FILE...", "Output of sacct, scontrol or kubectl", "", "scheduler_files"},
    {"--scheduler-job", "NAME", "Name or id of the job in --scheduler", "", "scheduler_job"},
    {"--utc-offset", "TIME", "UTC offset of Slurm's times, east positive", "this machine's",
     "utc_offset"},
    {"--chips-per-pod", "N", "Chips per Kubernetes pod", "1", "chips_per_pod"},
    {"--pods", "N", "Pods the job needs", "most at once", "pods"},
    {"--traces", "PATH...", "Traces of some steps, for the breakdown of step time", "", ""},
    {"--hang", "DIR", "What the job left behind when it hung, for 'stepscope hang'", "", "hang"},
    {"--record", "DIR", "Recorder's directory of events to keep the cause in", "", "record"},
    {"--watched", "FOLDER", "What 'stepscope watch' saw of the job", "", "watched"},
    {"--by", "LABEL", "Label to group by, such as team, user or queue", "team", "by"},
    {"--week", "", "A row for each week of a group", "", "weekly"},
    {"--chips-per-job", "N", "Chips of jobs that recorded no number", "unknown", "chips_per_job"},
    {"--ledger-name", "NAME", "Name of the ledger in the tables", "its path", "ledger_name"},
    {"--keep-months", "N", "Drop months that ended more than N months ago", "drop none",
     "keep_months"},
    {"--remove-absent", "", "Remove published jobs that the ledger lacks, deleted or not", "",
     "remove_absent"},
    {"--new-name", "NAME", "New name of the job", "", ""},
    {"--join", "", "Add the job to one of that name", "", "join"},
    {"--yes", "", "Do it without further questions", "", ""},
    {"--group-readable", "", "Let the owner's group read new files", "", "group_readable"},
    {"--tokens", "FILE", "Tokens of teams, one a line: TEAM r|w|rw TOKEN", "", "tokens"},
    {"--keep-raw", "TIME", "Age below which events are kept", "30d", "keep_raw"},

    // Servers and senders of events.
    {"--to-token-file", "FILE", "File with the token of the server of --to", "", "to_token"},
    {"--to", "URL", "Server, as http[s]://HOST:PORT", "", "to"},
    {"--follow", "", "Continue with new events until interrupted", "", "follow"},
    {"--again", "", "Send all events again", "", "again"},
    {"--patience", "TIME", "Time without an answer before giving up", "60s", "patience"},
    {"--cursor", "FILE", "File with the position of sending", "next to the events", "cursor"},
    {"--tensorboard", "DIR", "Write TensorBoard scalars per job to this directory", "",
     "tensorboard"},
    {"--otlp", "URL", "Push all metrics to this OTLP collector", "", "otlp"},
    {"--otlp-every", "TIME", "Interval of pushes", "60s", "otlp_every"},
    {"--every", "TIME", "Interval of updates", "2s", "every"},
    {"--windows", "N", "Windows to watch", "until a signal", "windows"},
    {"--metrics", "FILE", "Metrics for Prometheus' node exporter, written with each window", "",
     "metrics"},
    {"--name", "JOB", "Name of the job, in metrics and events", "the only one", "name"},
    {"--goodput", "DIR", "Recorder's directory of the job: says how the capture slowed steps", "",
     "goodput"},

    // Models and chips.
    {"--model", "FILE", "Model's config.json, as on Hugging Face", "", "shape"},
    {"--sequence-length", "N", "Tokens per sequence", "from --model",
     "sequence sequence_length shape.sequence"},
    {"--width", "N", "Hidden size of the model", "from --model", "width"},
    {"--heads", "N", "Attention heads", "from --model", "heads"},
    {"--kv-heads", "N", "Key and value heads", "--heads", "kv_heads"},
    {"--head-size", "N", "Size of a head", "width / heads", "head_size"},
    {"--kv-rank", "N", "Key and value rank of latent attention (MLA)", "", "kv_rank"},
    {"--query-rank", "N", "Query rank of latent attention", "", "query_rank"},
    {"--rope-size", "N", "Rotary part of a head in latent attention", "", "rope_size"},
    {"--value-size", "N", "Value size of a head in latent attention", "", "value_size"},
    {"--mlp-width", "N", "Intermediate size of the MLP", "from --model", "mlp_width"},
    {"--vocabulary", "N", "Vocabulary size", "from --model", "vocabulary"},
    {"--attention-window", "N", "Keys per sliding attention window", "all", "shape.window"},
    {"--experts", "N", "Experts per layer", "0", "experts"},
    {"--expert-layers", "N", "Layers with experts", "all", "expert_layers"},
    {"--experts-per-token", "N", "Experts chosen per token", "", "experts_per_token"},
    {"--shared-experts", "N", "Experts that all tokens use", "0", "shared_experts"},
    {"--expert-width", "N", "Intermediate size of an expert", "--mlp-width", "expert_width"},
    {"--parameters", "N", "Parameters per token, without embedding", "from the shape",
     "parameters"},
    {"--plain-mlp", "", "MLP has two matrices instead of three", "", "gated_mlp"},
    {"--bidirectional", "", "Attention has no causal mask", "", "causal"},
    {"--tokens-per-second", "N", "Tokens per second of the whole job", "", "tokens_per_second"},
    {"--step-time", "TIME", "Step time; needs --tokens-per-step", "", ""},
    {"--tokens-per-step", "N", "Tokens per step of the whole job", "", "tokens_per_step"},
    {"--chips", "N", "Number of chips", "", "chips"},
    {"--chip", "NAME", "Chip: H100, 'TPU v5p', or the driver's name", "", "chip"},
    {"--peak-tflops", "N", "Peak TFLOP/s per chip, dense", "from --chip", "peak_tflops peak_flops"},
    {"--dtype", "TYPE", "Matrix type: bf16, fp16, fp8, int8, fp4, tf32 or fp32", "bf16", "dtype"},
    {"--recompute", "WHAT", "Recomputed activations: none, attention or full", "none", "recompute"},
    {"--tflops-per-chip", "N", "Achieved TFLOP/s per chip, as the framework prints it", "",
     "flops_per_chip"},
    {"--executed-flops-ratio", "N", "Executed FLOPs / model FLOPs, for HFU", "from --recompute",
     "executed_flops_ratio"},
    {"--price-per-chip-hour", "N", "Price of a chip per hour, in any currency", "",
     "price_per_chip_hour"},

    // How often a job fails.
    {"--mtbf", "TIME", "Mean time between failures of the job", "", "mtbf_s"},
    {"--mtbf-per-node", "TIME", "Mean time between failures per node", "", "mtbf_per_node_s"},
    {"--failures-per-node-day", "N", "Failures per node per day (r_f)", "",
     "failures_per_node_day"},
    {"--failures", "N", "Counted failures; needs --over", "", "failures"},
    {"--over", "TIME", "Time in which --failures were counted", "", "over_s"},
    {"--observed-mtbf", "TIME", "Observed mean time between failures, to compare", "",
     "observed_mtbf_s"},
    {"--nodes", "N", "Number of nodes", "from --chips", "nodes"},
    {"--chips-per-node", "N", "Chips per node", "8", "chips_per_node"},
    {"--cause", "NAME=N[:SHARE],...", "Failures by cause, with the published share", "", "causes"},

    // Checkpoints and restarts.
    {"--checkpoint-interval", "TIME", "Work between checkpoint saves (tau)", "best interval",
     "checkpoint_interval_s"},
    {"--save-time", "TIME", "Time a save blocks the job (w)", "", "save_s"},
    {"--persist-time", "TIME", "Time from then until the save is durable", "0", "persist_s"},
    {"--announced-share", "SHARE", "Failures announced in time to save", "0", "announced_share"},
    {"--emergency-save-time", "TIME", "Time of a save on announcement", "save and persist time",
     "emergency_save_s"},
    {"--restart-time", "TIME", "Time from having nodes to the first step (u0)", "", "restart_s"},
    {"--reschedule-time", "TIME", "Time to get nodes without a spare (t_re)", "0", "reschedule_s"},
    {"--spares", "N", "Nodes kept as hot spares", "0", "spares"},
    {"--swap-time", "TIME", "Time until a spare takes over", "reschedule time / 10.87", "swap_s"},
    {"--repair-time", "TIME", "Time to repair a failed node", "1d, assumed", "repair_s"},
    {"--target", "SHARE", "Target goodput, for the loss budget per failure", "", "target_goodput"},
    {"--simulated-failures", "N", "Failures to simulate", "200000", "simulated_failures"},

    // What each improvement could save.
    {"--sigterm-share", "SHARE", "Failures that SIGTERM announces", "10.1%, Llama 3",
     "sigterm_share"},
    {"--pull-time", "TIME", "Part of --restart-time: pulling the image", "", "pull_s"},
    {"--pull-speedup", "N", "Speedup of a preloaded image", "29, Google Cloud", "pull_speedup"},
    {"--compile-time", "TIME", "Part of --restart-time: compilation", "", "compile_s"},
    {"--compile-cached-share", "SHARE", "Compilation a cache saves", "100%, at most",
     "compile_cached_share"},
    {"--capacity-wait", "TIME", "Part of --reschedule-time: capacity wait", "", "capacity_wait_s"},
    {"--lever-spares", "N", "Hot spares to try", "enough for 99%", "lever_spares"},
    {"--save-speedup", "N", "Speedup of asynchronous saves", "23.6, PyTorch and IBM",
     "save_speedup"},

    // A fleet, and what was measured before and after a change.
    {"--capacity-chip-time", "TIME", "Available chip time", "", "capacity_chip_s"},
    {"--allocated-chip-time", "TIME", "Chip time with all chips of the job up", "",
     "allocated_chip_s"},
    {"--saved-chip-time", "TIME", "Chip time of progress that was saved", "", "saved_chip_s"},
    {"--program-goodput", "SHARE", "Ideal / actual time of the program", "", "program_goodput"},
    {"--wasted-chip-time", "TIME", "Wasted chip time; needs --chips and --over", "",
     "wasted_chip_s"},
    {"--steps-tried", "N", "Steps started", "", "steps_tried"},
    {"--steps-committed", "N", "Steps kept", "", "steps_committed"},
    {"--replicas", "N", "Replica groups of the job", "", "replicas"},
    {"--mean-replicas", "N", "Healthy replica groups, on average", "", "mean_replicas"},
    {"--restart-before", "TIME,...", "Restarts before the change", "", "restart_before_s"},
    {"--restart-after", "TIME,...", "The same restarts after it", "", "restart_after_s"},
    {"--save-before", "TIME,...", "Blocking saves before the change", "", "save_before_s"},
    {"--save-after", "TIME,...", "The same saves after it", "", "save_after_s"},
    {"--relative-mfu", "SHARE,...", "MFU after the change / before it", "", "relative_mfu"},
    {"--standby-machines", "N,...", "Sizes of jobs, in machines", "", "standby_machines"},
    {"--down-probability", "SHARE", "Probability that a machine is down", "", "down_probability"},
    {"--standby-share", "SHARE", "Time that the standbys must suffice", "99%", "standby_share"},
};

std::string_view LongName(const Word& word) {
  return word.names.substr(word.names.find(',') + 1);  // npos + 1 is 0
}

// Fields that a command answers instead of an option.
struct Asks {
  std::string_view field, command;
};
constexpr Asks kAsks[] = {{"analyses", "'stepscope list'"}, {"compare", "'stepscope compare'"}};

bool Sets(const Word& word, std::string_view field) {
  for (std::string_view rest = word.fields; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == field) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// How a user of the command line reaches the field; empty: not at all.
std::string_view OnCommandLine(std::string_view field) {
  if (field.empty()) return {};
  const auto* word =
      std::ranges::find_if(kWords, [&](const Word& each) { return Sets(each, field); });
  if (word != std::end(kWords)) return LongName(*word);
  const auto* asks = std::ranges::find(kAsks, field, &Asks::field);
  return asks == std::end(kAsks) ? std::string_view() : asks->command;
}

// Whether the mark begins a quotation: an apostrophe follows a letter.
bool OpensQuotes(std::string_view text, size_t at) {
  return at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
}

}  // namespace

std::span<const Word> Vocabulary() { return kWords; }

const Word* FindWord(std::string_view name) {
  const auto* word = std::ranges::find(kWords, name, LongName);
  return word == std::end(kWords) ? nullptr : word;
}

std::string WithOptions(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t at = text.find_first_of("`'");
    if (at == text.npos) break;
    const size_t end = text.find(text[at], at + 1);
    const bool quotes = text[at] == '\'' && end != text.npos && OpensQuotes(text, at);
    if (quotes) {
      out += text.substr(0, end + 1);
      text.remove_prefix(end + 1);
      continue;
    }
    const std::string_view ours = text[at] == '`' && end != text.npos
                                      ? OnCommandLine(text.substr(at + 1, end - at - 1))
                                      : std::string_view();
    out += text.substr(0, at);
    out += ours.empty() ? text.substr(at, 1) : ours;
    text.remove_prefix(ours.empty() ? at + 1 : end + 1);
  }
  return out += text;
}

Error WithOptions(Error error) {
  error.what = WithOptions(error.what);
  if (error.where.starts_with('`')) error.where = WithOptions(error.where);
  error.hint = WithOptions(error.hint);
  return error;
}

void UseOptions(ReportSet& answer) {
  const bool lacks_one =
      std::ranges::any_of(answer.reports, [](const Report& each) { return !each.why.empty(); });
  if (lacks_one) answer.verdict = WithOptions(answer.verdict);  // it repeats a reason
  for (Report& report : answer.reports) {
    report.why = WithOptions(report.why);
    for (Finding& finding : report.findings) finding.hint = WithOptions(finding.hint);
  }
}

}  // namespace stepscope::cli
