// Loads DuckDB on first use: it is as large as everything else together, and few commands ask it.
#pragma once

#include <string_view>

#include "query/duckdb_abi.h"
#include "stepscope/result.h"

namespace stepscope::query {

// The version that tests run with and that the error for a missing library names.
inline constexpr std::string_view kDuckDbVersion = "1.5.6";

// X(returned type, name without "duckdb_", types of parameters)
#define STEPSCOPE_DUCKDB_FUNCTIONS(X)                                                           \
  X(const char*, library_version, ())                                                           \
  X(abi::State, create_config, (abi::Config*))                                                  \
  X(abi::State, set_config, (abi::Config, const char*, const char*))                            \
  X(void, destroy_config, (abi::Config*))                                                       \
  X(abi::State, open_ext, (const char*, abi::Database*, abi::Config, char**))                   \
  X(void, close, (abi::Database*))                                                              \
  X(abi::State, connect, (abi::Database, abi::Connection*))                                     \
  X(void, disconnect, (abi::Connection*))                                                       \
  X(void, interrupt, (abi::Connection))                                                         \
  X(abi::State, query, (abi::Connection, const char*, abi::Result*))                            \
  X(abi::Index, extract_statements, (abi::Connection, const char*, abi::Statements*))           \
  X(const char*, extract_statements_error, (abi::Statements))                                   \
  X(void, destroy_extracted, (abi::Statements*))                                                \
  X(abi::State, prepare_extracted_statement,                                                    \
    (abi::Connection, abi::Statements, abi::Index, abi::Prepared*))                             \
  X(const char*, prepare_error, (abi::Prepared))                                                \
  X(abi::Index, nparams, (abi::Prepared))                                                       \
  X(abi::StatementType, prepared_statement_type, (abi::Prepared))                               \
  X(abi::Index, prepared_statement_column_count, (abi::Prepared))                               \
  X(const char*, prepared_statement_column_name, (abi::Prepared, abi::Index))                   \
  X(abi::Type, prepared_statement_column_type, (abi::Prepared, abi::Index))                     \
  X(void, destroy_prepare, (abi::Prepared*))                                                    \
  X(abi::State, pending_prepared_streaming, (abi::Prepared, abi::Pending*))                     \
  X(const char*, pending_error, (abi::Pending))                                                 \
  X(abi::State, execute_pending, (abi::Pending, abi::Result*))                                  \
  X(void, destroy_pending, (abi::Pending*))                                                     \
  X(void, destroy_result, (abi::Result*))                                                       \
  X(const char*, result_error, (abi::Result*))                                                  \
  X(abi::Chunk, fetch_chunk, (abi::Result))                                                     \
  X(void, destroy_data_chunk, (abi::Chunk*))                                                    \
  X(abi::Index, data_chunk_get_size, (abi::Chunk))                                              \
  X(void, data_chunk_set_size, (abi::Chunk, abi::Index))                                        \
  X(abi::Vector, data_chunk_get_vector, (abi::Chunk, abi::Index))                               \
  X(abi::Value, get_table_names, (abi::Connection, const char*, bool))                          \
  X(abi::Index, get_list_size, (abi::Value))                                                    \
  X(abi::Value, get_list_child, (abi::Value, abi::Index))                                       \
  X(char*, get_varchar, (abi::Value))                                                           \
  X(void, destroy_value, (abi::Value*))                                                         \
  X(void, free, (void*))                                                                        \
  X(abi::LogicalType, create_logical_type, (abi::Type))                                         \
  X(void, destroy_logical_type, (abi::LogicalType*))                                            \
  X(abi::Index, vector_size, ())                                                                \
  X(void*, vector_get_data, (abi::Vector))                                                      \
  X(uint64_t*, vector_get_validity, (abi::Vector))                                              \
  X(void, vector_ensure_validity_writable, (abi::Vector))                                       \
  X(void, vector_assign_string_element_len, (abi::Vector, abi::Index, const char*, abi::Index)) \
  X(abi::Vector, create_vector, (abi::LogicalType, abi::Index))                                 \
  X(void, destroy_vector, (abi::Vector*))                                                       \
  X(void, vector_reference_vector, (abi::Vector, abi::Vector))                                  \
  X(void, slice_vector, (abi::Vector, abi::Selection, abi::Index))                              \
  X(abi::Selection, create_selection_vector, (abi::Index))                                      \
  X(uint32_t*, selection_vector_get_data_ptr, (abi::Selection))                                 \
  X(void, destroy_selection_vector, (abi::Selection))                                           \
  X(abi::TableFunction, create_table_function, ())                                              \
  X(void, destroy_table_function, (abi::TableFunction*))                                        \
  X(void, table_function_set_name, (abi::TableFunction, const char*))                           \
  X(void, table_function_set_extra_info, (abi::TableFunction, void*, abi::Delete))              \
  X(void, table_function_set_bind, (abi::TableFunction, abi::Bind))                             \
  X(void, table_function_set_init, (abi::TableFunction, abi::Init))                             \
  X(void, table_function_set_local_init, (abi::TableFunction, abi::Init))                       \
  X(void, table_function_set_function, (abi::TableFunction, abi::Function))                     \
  X(void, table_function_supports_projection_pushdown, (abi::TableFunction, bool))              \
  X(abi::State, register_table_function, (abi::Connection, abi::TableFunction))                 \
  X(void*, bind_get_extra_info, (abi::BindInfo))                                                \
  X(void, bind_add_result_column, (abi::BindInfo, const char*, abi::LogicalType))               \
  X(void, bind_set_bind_data, (abi::BindInfo, void*, abi::Delete))                              \
  X(void, bind_set_cardinality, (abi::BindInfo, abi::Index, bool))                              \
  X(void*, init_get_bind_data, (abi::InitInfo))                                                 \
  X(abi::Index, init_get_column_count, (abi::InitInfo))                                         \
  X(abi::Index, init_get_column_index, (abi::InitInfo, abi::Index))                             \
  X(void, init_set_init_data, (abi::InitInfo, void*, abi::Delete))                              \
  X(void, init_set_max_threads, (abi::InitInfo, abi::Index))                                    \
  X(void*, function_get_init_data, (abi::FunctionInfo))                                         \
  X(void*, function_get_local_init_data, (abi::FunctionInfo))                                   \
  X(void, function_set_error, (abi::FunctionInfo, const char*))

// The functions in use.
struct DuckDb {
#define STEPSCOPE_MEMBER(returns, name, parameters) returns(*name) parameters;
  STEPSCOPE_DUCKDB_FUNCTIONS(STEPSCOPE_MEMBER)
#undef STEPSCOPE_MEMBER
};

// The library, which stays loaded: STEPSCOPE_DUCKDB where it is set, else libduckdb.so beside the
// program, in ../lib/stepscope, in ~/.local/lib/stepscope, or where the system finds it. Fails,
// with how to get it, where there is none or its version is none of ours.
Result<const DuckDb*> LoadDuckDb();

}  // namespace stepscope::query
