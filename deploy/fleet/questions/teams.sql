-- Goodput by team and week, as `stepscope goodput fleet --by team --week` tells it: jobs without the
-- label are the team NULL, and with a job of unknown chips chip-hours are NULL; it weighs as one.
WITH by_job AS (
  SELECT team, week, ledger, job, max(chips) AS of_chips,
         sum(coalesce(chips, 1) * counted_ns / 3.6e12) AS counted,
         sum(coalesce(chips, 1) * productive_ns / 3.6e12) AS productive,
         sum(coalesce(chips, 1) * lost_ns / 3.6e12) AS lost
  FROM goodput_days /*where*/
  GROUP BY team, week, ledger, job
)
SELECT team, week, count(*) AS jobs, CASE WHEN count(of_chips) = count(*) THEN sum(counted) END AS chip_hours,
       sum(productive) / nullif(sum(counted), 0) AS goodput,
       CASE WHEN count(of_chips) = count(*) THEN sum(lost) END AS lost_chip_hours
FROM by_job WHERE counted > 0 GROUP BY team, week ORDER BY week, team
