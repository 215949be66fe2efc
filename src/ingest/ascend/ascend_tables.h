// Names the tables of a database of Ascend's profiler that are read, and the meaning of numbers in
// them.
//
// Source: "Profile Data File Reference (DB)" of msprof and "Data in
// ascend_pytorch_profiler_{Rank_ID}.db", Huawei's documentation of CANN 8 and 9.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::ascend {

inline constexpr std::string_view kStrings = "STRING_IDS";
inline constexpr std::string_view kTasks = "TASK";
inline constexpr std::string_view kCompute = "COMPUTE_TASK_INFO";
inline constexpr std::string_view kCommunication = "COMMUNICATION_OP";
inline constexpr std::string_view kCommunicationTasks = "COMMUNICATION_TASK_INFO";
inline constexpr std::string_view kCopies = "MEMCPY_INFO";
inline constexpr std::string_view kCalls = "CANN_API";
inline constexpr std::string_view kTorch = "PYTORCH_API";
inline constexpr std::string_view kMarks = "MSTX_EVENTS";
inline constexpr std::string_view kSteps = "STEP_TIME";
inline constexpr std::string_view kRanks = "RANK_DEVICE_MAP";
inline constexpr std::string_view kDevices = "NPU_INFO";
inline constexpr std::string_view kHosts = "HOST_INFO";

// ENUM_API_TYPE, of PYTORCH_API.
enum ApiType : int64_t { kOperatorApi = 50001, kQueueApi = 50002, kPythonApi = 50003 };

// A number that ties nothing.
inline constexpr int64_t kNoConnection = 0xffffffff;

// The name that PyTorch gives a number of ENUM_HCCL_DATA_TYPE; empty: it has none.
std::string_view ElementTypeOf(int64_t hccl_type);

// "Memcpy HtoD" of a number of ENUM_MEMCPY_OPERATION; empty: none of these directions.
std::string_view CopyNameOf(int64_t operation);

// Whether it is shapes as the database has them, "4,3;3": numbers and what divides them.
bool IsShapeList(std::string_view shapes);

}  // namespace stepscope::ascend
