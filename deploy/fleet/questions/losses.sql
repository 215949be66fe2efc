-- What to mend first: lost chip-hours by bucket. `gain` is what the fleet's goodput would rise by
-- if the cause were gone. A job of unknown chips counts as one chip.
WITH by_job AS (
  SELECT bucket, lost, ledger, job, sum(CAST(ns AS DOUBLE PRECISION) / 3.6e12) AS hours,
         sum(coalesce(chips, 1) * ns / 3.6e12) AS of_chips
  FROM goodput_buckets WHERE bucket <> 'EXCLUDED' /*and*/
  GROUP BY bucket, lost, ledger, job
), counted AS (SELECT sum(of_chips) AS of_all FROM by_job)
SELECT bucket, sum(hours) AS job_hours, sum(of_chips) AS chip_hours,
       sum(of_chips) / nullif(max(of_all), 0) AS gain, count(*) AS jobs
FROM by_job CROSS JOIN counted WHERE lost = 1
GROUP BY bucket ORDER BY sum(of_chips) DESC, bucket
