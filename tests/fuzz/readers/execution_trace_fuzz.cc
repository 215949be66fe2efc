// Fuzzes the way from the bytes of an execution trace to the inputs of operators.
//
// The trace that it is joined to has operators of the names and numbers that seeds have. Beside
// crashes and sanitizer reports it looks for operators that were given what no node has.
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/execution_trace/execution_reader.h"
#include "ingest/execution_trace/node_match.h"
#include "ingest/trace_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::execution_trace_fuzz {
namespace {

constexpr std::string_view kTrace = R"({"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":1,"dur":9,"args":{"External id":4}},
{"ph":"X","cat":"cpu_op","name":"aten::t","pid":9,"tid":9,"ts":2,"dur":1,"args":{"External id":5,"Input Dims":[[1]]}},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":9,"tid":9,"ts":11,"dur":9,"args":{"External id":6}}]})";

void Fuzz(std::string_view bytes) {
  const auto nodes = ReadExecutionTrace(ByteSource::FromMemory(bytes), Tensors::kKeep);
  if (!nodes) return Require(!nodes.error().what.empty());
  for (size_t i = 0; i < nodes->nodes.size(); ++i) {
    Require(nodes->nodes[i].name < nodes->strings.size());
    Require(i == 0 || nodes->nodes[i - 1].record_function < nodes->nodes[i].record_function);
  }
  for (size_t i = 1; i < nodes->tensors.size(); ++i)
    Require(nodes->tensors[i - 1].record_function <= nodes->tensors[i].record_function);
  auto trace = ReadTrace(ByteSource::FromMemory(kTrace));
  Require(trace.has_value());
  const auto match = MatchNodes(*nodes, *trace);
  if (!match) return;
  Require(TakeInputs(*nodes, *match, *trace) <= 2);
  const auto& shapes = trace->Texts(TextField::kInputShapes);
  for (size_t i = 0; i < shapes.size(); ++i) {
    Require(shapes.event(i) < trace->size() && shapes.value(i) < trace->strings.size());
    Require(i == 0 || shapes.event(i - 1) < shapes.event(i));
  }
}

const fuzz::Register kTarget({.name = "execution_trace", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::execution_trace_fuzz
