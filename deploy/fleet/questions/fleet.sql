-- Goodput by team, cluster, chip and week: scheduling x runtime x program. NULL: without the label.
-- Shares weigh a job by its chips; a job of unknown chips weighs as one, and chip-hours with it are
-- unknown: NULL, as in `goodput fleet`.
-- `scheduling` is of the jobs whose scheduler is known, `program` of those whose MFU is.
WITH parts AS (
  SELECT team, cluster, chip, week, ledger, job, mfu, chips,
         coalesce(chips, 1) * counted_ns / 3.6e12 AS counted,
         coalesce(chips, 1) * productive_ns / 3.6e12 AS productive,
         coalesce(chips, 1) * wanted_ns / 3.6e12 AS wanted,
         coalesce(chips, 1) * all_up_ns / 3.6e12 AS all_up
  FROM goodput_days /*where*/
), by_job AS (
  SELECT team, cluster, chip, week, ledger, job, max(chips) AS job_chips,
         sum(counted) AS job_counted, sum(productive) AS job_productive, sum(wanted) AS job_wanted,
         sum(all_up) AS job_all_up, sum(coalesce(all_up, counted)) AS job_had, max(mfu) AS job_mfu
  FROM parts GROUP BY team, cluster, chip, week, ledger, job
), sums AS (
  SELECT team, cluster, chip, week, count(*) AS of_jobs, count(job_chips) AS with_chips,
         sum(job_counted) AS counted_hours, sum(job_productive) AS productive_hours,
         sum(job_wanted) AS wanted_hours, sum(job_all_up) AS all_up_hours, sum(job_had) AS had_hours,
         sum(job_productive * job_mfu) AS ideal_hours,
         sum(CASE WHEN job_mfu IS NOT NULL THEN job_productive END) AS measured_hours
  FROM by_job GROUP BY team, cluster, chip, week
)
SELECT team, cluster, chip, week, of_jobs AS jobs,
       CASE WHEN with_chips = of_jobs THEN counted_hours END AS chip_hours,
       productive_hours / nullif(counted_hours, 0) AS goodput,
       all_up_hours / nullif(wanted_hours, 0) AS scheduling,
       productive_hours / nullif(had_hours, 0) AS runtime,
       ideal_hours / nullif(measured_hours, 0) AS program,
       all_up_hours / nullif(wanted_hours, 0) * (productive_hours / nullif(had_hours, 0))
         * (ideal_hours / nullif(measured_hours, 0)) AS product
FROM sums ORDER BY week, team, cluster, chip
