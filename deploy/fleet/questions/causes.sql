-- Causes of disruptions, with what they cost. A job of unknown chips weighs as one chip where causes
-- are put in order; chip-hours with such a job are unknown: NULL.
WITH by_job AS (
  SELECT cause, ledger, job, count(*) AS of_times, max(chips) AS of_chips,
         sum(CAST(cost_ns AS DOUBLE PRECISION) / 3.6e12) AS hours,
         sum(coalesce(chips, 1) * cost_ns / 3.6e12) AS weighed,
         sum(CAST(down_ns AS DOUBLE PRECISION) / 3.6e12) AS down,
         sum(CAST(recompute_ns AS DOUBLE PRECISION) / 3.6e12) AS recompute
  FROM disruptions /*where*/
  GROUP BY cause, ledger, job
)
SELECT cause, sum(of_times) AS times, count(*) AS jobs, sum(hours) AS job_hours,
       CASE WHEN count(of_chips) = count(*) THEN sum(weighed) END AS chip_hours,
       sum(down) / sum(of_times) AS mean_down_hours, sum(recompute) / sum(of_times) AS mean_recompute_hours
FROM by_job GROUP BY cause ORDER BY sum(weighed) DESC, cause
