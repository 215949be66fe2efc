// Loads PostgreSQL's client library on first use: linking it costs every command 7 ms for thirty
// libraries.
#pragma once

#include <libpq-fe.h>

namespace stepscope::goodput {

// The functions in use, named without "PQ".
struct LibPq {
  decltype(&::PQclear) clear;
  decltype(&::PQcmdStatus) cmdStatus;
  decltype(&::PQconnectdbParams) connectdbParams;
  decltype(&::PQconninfoFree) conninfoFree;
  decltype(&::PQconninfoParse) conninfoParse;
  decltype(&::PQerrorMessage) errorMessage;
  decltype(&::PQexecParams) execParams;
  decltype(&::PQfinish) finish;
  decltype(&::PQgetResult) getResult;
  decltype(&::PQgetisnull) getisnull;
  decltype(&::PQgetlength) getlength;
  decltype(&::PQgetvalue) getvalue;
  decltype(&::PQntuples) ntuples;
  decltype(&::PQpass) pass;
  decltype(&::PQputCopyData) putCopyData;
  decltype(&::PQputCopyEnd) putCopyEnd;
  decltype(&::PQresultErrorField) resultErrorField;
  decltype(&::PQresultStatus) resultStatus;
  decltype(&::PQsetNoticeProcessor) setNoticeProcessor;
  decltype(&::PQstatus) status;
};

// Null if the library is not installed.
const LibPq* LoadLibPq();

}  // namespace stepscope::goodput
