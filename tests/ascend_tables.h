// The tables of databases of Ascend's profiler that are read, as SQL, after Huawei's documentation.
#pragma once

namespace stepscope::testing {

inline constexpr const char* kAscendTables = R"sql(
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER, endTimeNs INTEGER);
CREATE TABLE NPU_INFO (id INTEGER, name TEXT);
CREATE TABLE HOST_INFO (hostUid TEXT, hostName TEXT);
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER,
  globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER,
  taskId INTEGER, modelId INTEGER);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER,
  mixBlockDim INTEGER, taskType INTEGER, opType INTEGER, inputShapes INTEGER);
CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER, globalTaskId INTEGER, taskType INTEGER,
  planeId INTEGER, groupName INTEGER, opId INTEGER);
CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER,
  connectionId INTEGER, groupName INTEGER, opId INTEGER PRIMARY KEY, relay INTEGER, retry INTEGER,
  dataType INTEGER, algType INTEGER, count NUMERIC, opType INTEGER, deviceId INTEGER);
CREATE TABLE MEMCPY_INFO (globalTaskId INTEGER, size NUMERIC, memcpyOperation INTEGER);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER,
  connectionId INTEGER, name INTEGER);
CREATE TABLE PYTORCH_API (startNs INTEGER, endNs INTEGER, globalTid INTEGER, connectionId INTEGER,
  name INTEGER, sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER,
  inputShapes INTEGER, callchainId INTEGER, type INTEGER);
CREATE TABLE MSTX_EVENTS (startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER,
  category INTEGER, message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER,
  connectionId INTEGER);
CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
)sql";

// A step with an operator, its call, a product, a collective of two tasks, a copy and a wait.
inline constexpr const char* kAscendRows = R"sql(
INSERT INTO STRING_IDS VALUES (1,'aten::mm'),(2,'aclnnMm'),(3,'aclnnMm_MatMulV2'),(4,'EVENT_WAIT'),
  (5,'hcom_allReduce__428_0_1'),(6,'group0'),(7,'hcom_allReduce_'),(8,'Memcpy'),(9,'launch'),
  (10,'4,3;3,5'),(11,'float;c10::Half'),(12,'MEMCPY_ASYNC'),(13,'ProfilerStep#7'),(14,'my range'),
  (15,'KERNEL_AICORE');
INSERT INTO NPU_INFO VALUES (2,'Ascend910B3');
INSERT INTO HOST_INFO VALUES ('1','node9');
INSERT INTO RANK_DEVICE_MAP VALUES (5,2);
INSERT INTO PYTORCH_API VALUES (100,200,4294967303,NULL,1,3,NULL,11,10,NULL,50001),
  (90,900,4294967303,NULL,13,NULL,NULL,NULL,NULL,NULL,50001);
INSERT INTO CANN_API VALUES (110,150,20000,4294967303,40,2),(120,130,10000,4294967303,40,9);
INSERT INTO MSTX_EVENTS VALUES (300,400,1,0,0,14,4294967303,4294967303,0,NULL);
INSERT INTO TASK VALUES (160,260,2,40,1000,1,15,0,3,1,0),(270,280,2,4294967295,1001,1,4,0,3,2,0),
  (290,300,2,41,1002,1,12,0,3,3,0),(310,320,2,42,1003,1,15,0,9,4,0);
INSERT INTO COMPUTE_TASK_INFO (name,globalTaskId) VALUES (3,1000);
INSERT INTO COMMUNICATION_TASK_INFO (name,globalTaskId) VALUES (8,1003);
INSERT INTO MEMCPY_INFO VALUES (1002,4096,1);
INSERT INTO COMMUNICATION_OP VALUES (5,305,405,42,6,0,0,0,4,0,1000,7,2);
)sql";

}  // namespace stepscope::testing
