// The tables of rocprofv3's databases (rocpd), as SQL.
#pragma once

namespace stepscope::testing {

// The tables of schema 3 with the columns that are read, of the recording "_a1".
inline constexpr const char* kRocpdTables = R"sql(
CREATE TABLE rocpd_metadata_a1 (id INTEGER NOT NULL PRIMARY KEY, tag TEXT, value TEXT);
CREATE TABLE rocpd_string_a1 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, string TEXT);
CREATE TABLE rocpd_info_node_a1 (id INTEGER NOT NULL PRIMARY KEY, hostname TEXT);
CREATE TABLE rocpd_info_process_a1 (id INTEGER NOT NULL PRIMARY KEY, nid INTEGER, pid INTEGER,
  command TEXT, environment JSONB);
CREATE TABLE rocpd_info_thread_a1 (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER);
CREATE TABLE rocpd_info_agent_a1 (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, type TEXT,
  type_index INTEGER, name TEXT, product_name TEXT, extdata JSONB);
CREATE TABLE rocpd_info_kernel_symbol_a1 (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER,
  kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER, extdata JSONB);
CREATE TABLE rocpd_event_a1 (id INTEGER NOT NULL PRIMARY KEY, category_id INTEGER,
  stack_id INTEGER, extdata JSONB);
CREATE TABLE rocpd_region_a1 (id INTEGER NOT NULL PRIMARY KEY, nid INTEGER, pid INTEGER,
  tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch_a1 (id INTEGER NOT NULL PRIMARY KEY, nid INTEGER, pid INTEGER,
  tid INTEGER, agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, stream_id INTEGER,
  start BIGINT, end BIGINT, group_segment_size INTEGER, workgroup_size_x INTEGER,
  workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER,
  grid_size_z INTEGER, event_id INTEGER);
CREATE TABLE rocpd_memory_copy_a1 (id INTEGER NOT NULL PRIMARY KEY, nid INTEGER, pid INTEGER,
  tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, dst_agent_id INTEGER,
  src_agent_id INTEGER, size INTEGER, stream_id INTEGER, event_id INTEGER);
)sql";

// Process 144 with thread 161, a processor and two GPUs, names 1 to 6 and kernels 1 and 2.
inline constexpr const char* kRocpdNames = R"sql(
INSERT INTO rocpd_string_a1 VALUES (1, '', 'HIP_RUNTIME_API'), (2, '', 'hipLaunchKernel'),
  (3, '', 'MARKER_CORE_RANGE_API'), (4, '', 'roctxThreadRangeA'),
  (5, '', 'MEMORY_COPY_HOST_TO_DEVICE'), (6, '', 'KERNEL_DISPATCH');
INSERT INTO rocpd_info_node_a1 VALUES (9, 'node7');
INSERT INTO rocpd_info_process_a1 VALUES (144, 9, 144, 'python train.py', '{}');
INSERT INTO rocpd_info_thread_a1 VALUES (161, 144, 161);
INSERT INTO rocpd_info_agent_a1 VALUES (0, 144, 'CPU', 0, 'EPYC', 'EPYC', '{}'),
  (1, 144, 'GPU', 0, 'gfx942', 'AMD Instinct MI300X', '{"cu_count": 304, "max_waves_per_cu": 32,
    "wave_front_size": 64, "gfx_target_version": 90402, "max_engine_clk_fcompute": 2100}'),
  (2, 144, 'GPU', 1, 'gfx942', 'AMD Instinct MI300X', '{}');
INSERT INTO rocpd_info_kernel_symbol_a1 VALUES (1, 144, '_Z4gemmi.kd', '_Z4gemmi', 32,
    '{"demangled_kernel_name": "gemm(int) [clone .kd]"}'),
  (2, 144, 'x', 'ncclDevKernel_Generic_1(args)', 96, '{}');
)sql";

}  // namespace stepscope::testing
