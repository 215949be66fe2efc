-- Goodput of all jobs together, day by day. A job of unknown chips weighs as one chip; the chip-hours
-- of its days are unknown: NULL.
WITH by_job AS (
  SELECT day AS of_day, ledger, job, max(chips) AS of_chips,
         sum(coalesce(chips, 1) * counted_ns / 3.6e12) AS counted,
         sum(coalesce(chips, 1) * productive_ns / 3.6e12) AS productive
  FROM goodput_days /*where*/
  GROUP BY day, ledger, job
)
SELECT of_day AS day, sum(productive) / nullif(sum(counted), 0) AS goodput,
       CASE WHEN count(of_chips) = count(*) THEN sum(counted) END AS chip_hours, count(*) AS jobs
FROM by_job WHERE counted > 0 GROUP BY of_day ORDER BY of_day
