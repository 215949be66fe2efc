// Reports the memory that compiled programs plan to use, by buffer, and what they compute.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analyses/all.h"
#include "analyses/build.h"
#include "report/humanize.h"

namespace stepscope {
namespace programs {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How much device memory does each compiled program need, and which buffers, operations and source lines
fill it at its peak?

**Definition:** The compiler (XLA) plans the memory of a program before it runs. `peak` is the most that is in use at
once: arguments, outputs and constants, which last as long as the program, and the temporaries that overlap in its
schedule. `peak_at` is the instruction that reaches it first. `allocated` is what the program reserves: `arguments`,
`outputs`, `constants` and `temporaries`, less `aliased`, which is both argument and output. `unused` is the rest of
`allocated` at the peak, gaps between buffers. `at_peak` has the buffers in use at the peak; a buffer that others share
has the name of the last one. `padding` is more than the shape needs. `lines` adds them up by framework op and source line.
`space` is the memory of the device: 0 is the main one. `flops`, `transcendentals` and `bytes` are those of one execution
by the rules of XLA's cost analysis; a loop counts as often as the compiler knows that it turns, else once. Metrics are
those of the program with the highest peak in the main memory.

**Limitations:** This is the plan of one program: memory that others hold at the same time, such as parameters and the
results of earlier programs, is not in it; `memory_profile` measures the allocator. If the compiler recorded no
schedule, all temporaries count at once. Profiles without compiled programs (PyTorch; JAX and TensorFlow with
enable_hlo_proto off) have none.

**Interpretation:** If a program does not fit, look at the largest temporaries of `at_peak`: recompute them
(jax.checkpoint), shard them, or donate arguments whose memory outputs can take (donate_argnums).
)md";

Cell Text(const Facts& facts, StringId id) {
  return id == kNoString ? Cell() : Cell(std::string((*facts.names)[id]));
}

// A program's memory in one space.
struct Row {
  const RankActivity* rank = nullptr;
  const CompiledProgram* program = nullptr;
  const ProgramMemory* memory = nullptr;  // null: not recorded
  int64_t Peak() const { return memory == nullptr ? -1 : memory->peak; }
};

// The highest peak first.
std::vector<Row> RowsOf(const Facts& facts) {
  std::vector<Row> rows;
  for (const RankActivity& rank : facts.ranks) {
    for (const CompiledProgram& program : rank.programs) {
      if (program.memory.empty()) rows.push_back({&rank, &program, nullptr});
      for (const ProgramMemory& memory : program.memory) rows.push_back({&rank, &program, &memory});
    }
  }
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    const auto key = [&](const Row& r) {
      return std::tuple(-r.Peak(), r.rank->rank, (*facts.names)[r.program->name]);
    };
    return key(a) < key(b);
  });
  return rows;
}

std::vector<Column> Keys() {
  return {KeyColumn("rank", "rank"), KeyColumn("window", "window"), KeyColumn("program", "program"),
          KeyColumn("space", "memory space")};
}

std::vector<Cell> KeyCells(const Facts& facts, const Row& row) {
  return {row.rank->rank, row.rank->window, Text(facts, row.program->name),
          When(row.memory != nullptr, row.memory == nullptr ? 0 : row.memory->space)};
}

Table ProgramsTable(const Facts& facts, const std::vector<Row>& rows) {
  Table table{.key = "programs", .title = "Compiled programs", .columns = Keys(), .text_rows = 8};
  AddColumns(table, {BytesColumn("peak", "peak"),
                     BytesColumn("arguments", "arguments"),
                     BytesColumn("outputs", "outputs"),
                     BytesColumn("temporaries", "temporaries"),
                     BytesColumn("constants", "constants"),
                     BytesColumn("aliased", "aliased"),
                     BytesColumn("allocated", "allocated"),
                     BytesColumn("unused", "unused"),
                     {"peak_at", "instruction at peak"},
                     {"flops", "FLOP", Unit::kFlop},
                     CountColumn("transcendentals", "transcendentals"),
                     BytesColumn("bytes", "bytes accessed")});
  for (Column& column : table.columns) {
    column.detail = column.key == "constants" || column.key == "transcendentals" ||
                    column.key == "window" || column.key == "aliased" || column.key == "unused" ||
                    column.key == "space";
  }
  for (const Row& row : rows) {
    std::vector<Cell> cells = KeyCells(facts, row);
    const CompiledProgram& p = *row.program;
    const bool known = row.memory != nullptr;
    const ProgramMemory none, &m = known ? *row.memory : none;
    cells.insert(cells.end(),
                 {When(known, m.peak), When(known, m.arguments), When(known, m.outputs),
                  When(known, m.temporaries), When(known, m.constants), When(known, m.aliased),
                  When(known, m.allocated), When(known, m.allocated - m.peak),
                  Text(facts, m.peak_at), When(p.flops >= 0, p.flops),
                  When(p.transcendentals >= 0, p.transcendentals), When(p.bytes >= 0, p.bytes)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table BuffersTable(const Facts& facts, const std::vector<Row>& rows) {
  Table table{.key = "at_peak", .title = "Buffers at the peak", .columns = Keys(), .text_rows = 10};
  AddColumns(table, {KeyColumn("buffer", "buffer"),
                     KeyColumn("number", "number"),
                     Words({"use", "use"}),
                     {"shape", "shape"},
                     BytesColumn("bytes", "bytes"),
                     BytesColumn("padding", "padding"),
                     RatioColumn("share", "% of peak"),
                     {"framework_op", "framework op"},
                     {"source", "source line"}});
  for (Column& column : table.columns) {
    column.detail = column.key == "rank" || column.key == "window" || column.key == "space" ||
                    column.key == "number" || column.key == "padding";
  }
  for (const Row& row : rows) {
    if (row.memory == nullptr) continue;
    int64_t number = 0;
    for (const ProgramBuffer& b : row.memory->at_peak) {
      std::vector<Cell> cells = KeyCells(facts, row);
      cells.insert(cells.end(),
                   {Text(facts, b.instruction), number++, std::string(BufferUseName(b.use)),
                    Text(facts, b.shape), b.bytes, b.padding, Ratio(b.bytes, row.memory->peak),
                    Text(facts, b.framework_op), Text(facts, b.source)});
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

// The buffers at the peak by what of the program's text they are for; temporaries and outputs only,
// since arguments come from outside.
Table LinesTable(const Facts& facts, const std::vector<Row>& rows) {
  Table table{.key = "lines", .title = "Peak memory by line", .columns = Keys(), .text_rows = 8};
  AddColumns(table, {KeyColumn("framework_op", "framework op"), KeyColumn("source", "source line"),
                     CountColumn("buffers", "buffers"), BytesColumn("bytes", "bytes"),
                     RatioColumn("share", "% of peak")});
  for (Column& column : table.columns)
    column.detail = column.key == "rank" || column.key == "window" || column.key == "space";
  struct Sum {
    StringId op = kNoString, source = kNoString;
    int64_t buffers = 0, bytes = 0;
  };
  for (const Row& row : rows) {
    if (row.memory == nullptr) continue;
    std::map<std::pair<StringId, StringId>, Sum> of_lines;
    for (const ProgramBuffer& b : row.memory->at_peak) {
      if (b.framework_op == kNoString && b.source == kNoString) continue;
      Sum& sum = of_lines[{b.framework_op, b.source}];
      sum.op = b.framework_op;
      sum.source = b.source;
      ++sum.buffers;
      sum.bytes = AddSaturated(sum.bytes, b.bytes);
    }
    std::vector<Sum> sums;
    for (const auto& [line, sum] : of_lines) sums.push_back(sum);
    std::ranges::stable_sort(sums, std::ranges::greater{}, &Sum::bytes);
    for (const Sum& sum : sums) {
      std::vector<Cell> cells = KeyCells(facts, row);
      cells.insert(cells.end(), {Text(facts, sum.op), Text(facts, sum.source), sum.buffers,
                                 sum.bytes, Ratio(sum.bytes, row.memory->peak)});
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

void AddMetrics(Report& report, const ProgramMemory& m) {
  report.metrics = {{"peak", "peak memory", m.peak, Unit::kBytes},
                    {"arguments", "arguments", m.arguments, Unit::kBytes},
                    {"outputs", "outputs", m.outputs, Unit::kBytes},
                    {"temporaries", "temporaries", m.temporaries, Unit::kBytes},
                    {"allocated", "allocated", m.allocated, Unit::kBytes},
                    {"unused", "unused", m.allocated - m.peak, Unit::kBytes}};
}

void AddHeadline(Report& report, const Facts& facts, const Row& top) {
  const Phrase program = Phrase::Name(std::string((*facts.names)[top.program->name]));
  const Phrase peak = HumanBytes(static_cast<double>(top.memory->peak));
  const auto& buffers = top.memory->at_peak;
  if (buffers.empty() || buffers.front().instruction == kNoString) {
    report.headline = Say("{program} needs {peak} of device memory at its peak.", program, peak);
    return;
  }
  report.headline =
      Say("{program} needs {peak} of device memory at its peak; the largest buffer is {buffer} "
          "({size}).",
          program, peak, Phrase::Name(std::string((*facts.names)[buffers.front().instruction])),
          HumanBytes(static_cast<double>(buffers.front().bytes)));
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kPrograms, facts);
  const std::vector<Row> rows = RowsOf(facts);
  if (rows.empty()) {
    MakeUnavailable(report, "the traces hold no compiled programs");
    return report;
  }
  report.status = Status::kOk;  // programs are known without any activity
  const auto main = std::ranges::find_if(
      rows, [](const Row& r) { return r.memory != nullptr && r.memory->space == 0; });
  if (main == rows.end()) {
    report.headline = Say("{programs} were recorded without their memory.",
                          Plural(rows.size(), "compiled program"));
  } else {
    AddMetrics(report, *main->memory);
    AddHeadline(report, facts, *main);
  }
  report.tables.push_back(ProgramsTable(facts, rows));
  for (Table& table : std::array{BuffersTable(facts, rows), LinesTable(facts, rows)}) {
    if (!table.rows.empty()) report.tables.push_back(std::move(table));
  }
  return report;
}

}  // namespace
}  // namespace programs

const Analysis kPrograms = {
    .name = "programs",
    .title = "Compiled programs",
    .label = "Programs",
    .group = AnalysisGroup::kMemory,
    .summary = "Planned memory of XLA programs by buffer and line",
    .doc = programs::kDoc,
    .needs = Wanted(kRankActivityNeeds, false, true),
    .params = {},
    .run = &programs::Run,
};

}  // namespace stepscope
