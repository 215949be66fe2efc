// The tools that a client may call. All only read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mcp/arguments.h"
#include "mcp/calls.h"
#include "mcp/runs.h"

namespace stepscope::mcp {

// What tools work on.
struct Workplace {
  const Roots& roots;
  Runs& runs;
};

struct ToolAnswer {
  std::string text;
  Json structured = {};  // null: none
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view about;  // for a model: what it answers, and when to call it
  std::span<const Argument> arguments;
  Result<ToolAnswer> (*run)(const Given&, const Workplace&, const CallContext&);
  Json (*structure)() = nullptr;  // the schema of what is structured
};

// In the order in which they are listed.
std::span<const Tool> AllTools();

// As `tools/list` has it.
Json Described(const Tool& tool);

// Checks the arguments and runs the tool: the members of the result of `tools/call`. What fails is
// a result too, which the model can read.
Json CallTool(const Tool& tool, const Json& arguments, const Workplace& place,
              const CallContext& context);

}  // namespace stepscope::mcp
