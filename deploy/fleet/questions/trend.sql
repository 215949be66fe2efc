-- Goodput of all jobs together, day by day.
WITH by_job AS (
  SELECT day AS of_day, ledger, job, sum(coalesce(chips, 1) * counted_ns / 3.6e12) AS counted,
         sum(coalesce(chips, 1) * productive_ns / 3.6e12) AS productive
  FROM goodput_days /*where*/
  GROUP BY day, ledger, job
)
SELECT of_day AS day, sum(productive) / nullif(sum(counted), 0) AS goodput, sum(counted) AS chip_hours,
       count(*) AS jobs
FROM by_job WHERE counted > 0 GROUP BY of_day ORDER BY of_day
