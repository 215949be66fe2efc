// What an operation of HLO costs, by its opcode.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

// The rules are those of XLA's HloCostAnalysis.
enum class CostRule : uint8_t {
  kNothing,         // moves data at most
  kElements,        // an operation for each element of the result
  kTranscendental,  // likewise, of a function such as exp(), which is counted apart
  kDot,
  kConvolution,
  kReduce,  // what it calls, for each element that goes away
  kReduceWindow,
  kSelectAndScatter,
  kScatter,
  kMap,
  kSort,
  kFourier,
  kTriangularSolve,
  kCholesky,
  kAllReduce,  // an addition for each element
  kFusion,     // what it calls, and of its memory what goes in and comes out
  kCall,       // what it calls
  kWhile,      // likewise, as often as it turns
  kConditional,
  kCustomCall,
  kUnknown,
};
CostRule CostRuleOf(std::string_view opcode);

// Which bytes an operation accesses.
enum class ByteRule : uint8_t {
  kAll,      // of its operands and results
  kNone,     // it only names memory
  kSlice,    // of a part of its first operand, and the result
  kGather,   // likewise, and of the indices
  kUpdate,   // of the update, twice
  kScatter,  // of the updates, three times, and of the indices
  kCallee,   // of what it calls
};
ByteRule ByteRuleOf(std::string_view opcode);

}  // namespace stepscope
