-- What to mend first: lost chip-hours by bucket. `gain` is what the fleet's goodput would rise by
-- if the cause were gone; a job of unknown chips weighs as one chip in it. With such a job
-- chip-hours are unknown: NULL, as in `goodput fleet`.
WITH by_job AS (
  SELECT bucket, lost, ledger, job, max(chips) AS of_chips,
         sum(CAST(ns AS DOUBLE PRECISION) / 3.6e12) AS hours,
         sum(coalesce(chips, 1) * ns / 3.6e12) AS weighed
  FROM goodput_buckets WHERE bucket <> 'EXCLUDED' /*and*/
  GROUP BY bucket, lost, ledger, job
), counted AS (SELECT sum(weighed) AS of_all, count(*) - count(of_chips) AS unknown FROM by_job)
SELECT bucket, sum(hours) AS job_hours, CASE WHEN max(unknown) = 0 THEN sum(weighed) END AS chip_hours,
       sum(weighed) / nullif(max(of_all), 0) AS gain, count(*) AS jobs
FROM by_job CROSS JOIN counted WHERE lost = 1
GROUP BY bucket ORDER BY sum(weighed) DESC, bucket
