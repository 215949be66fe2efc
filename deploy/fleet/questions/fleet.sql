-- Goodput by team, cluster, chip and week: scheduling x runtime x program.
-- Shares weigh a job by its chips; a job of unknown chips counts as one, as in `goodput fleet`.
-- `scheduling` is of the jobs whose scheduler is known, `program` of those whose MFU is.
WITH parts AS (
  SELECT coalesce(team, '-') AS of_team, coalesce(cluster, '-') AS of_cluster, coalesce(chip, '-') AS of_chip,
         week AS of_week, ledger, job, mfu,
         coalesce(chips, 1) * counted_ns / 3.6e12 AS counted,
         coalesce(chips, 1) * productive_ns / 3.6e12 AS productive,
         coalesce(chips, 1) * wanted_ns / 3.6e12 AS wanted,
         coalesce(chips, 1) * all_up_ns / 3.6e12 AS all_up
  FROM goodput_days /*where*/
), by_job AS (
  SELECT of_team, of_cluster, of_chip, of_week, ledger, job,
         sum(counted) AS job_counted, sum(productive) AS job_productive, sum(wanted) AS job_wanted,
         sum(all_up) AS job_all_up, sum(coalesce(all_up, counted)) AS job_had, max(mfu) AS job_mfu
  FROM parts GROUP BY of_team, of_cluster, of_chip, of_week, ledger, job
), sums AS (
  SELECT of_team, of_cluster, of_chip, of_week, count(*) AS of_jobs,
         sum(job_counted) AS counted_hours, sum(job_productive) AS productive_hours,
         sum(job_wanted) AS wanted_hours, sum(job_all_up) AS all_up_hours, sum(job_had) AS had_hours,
         sum(job_productive * job_mfu) AS ideal_hours,
         sum(CASE WHEN job_mfu IS NOT NULL THEN job_productive END) AS measured_hours
  FROM by_job GROUP BY of_team, of_cluster, of_chip, of_week
)
SELECT of_team AS team, of_cluster AS cluster, of_chip AS chip, of_week AS week, of_jobs AS jobs,
       counted_hours AS chip_hours,
       productive_hours / nullif(counted_hours, 0) AS goodput,
       all_up_hours / nullif(wanted_hours, 0) AS scheduling,
       productive_hours / nullif(had_hours, 0) AS runtime,
       ideal_hours / nullif(measured_hours, 0) AS program,
       all_up_hours / nullif(wanted_hours, 0) * (productive_hours / nullif(had_hours, 0))
         * (ideal_hours / nullif(measured_hours, 0)) AS product
FROM sums ORDER BY of_week, of_team, of_cluster, of_chip
