-- Goodput by team and week, as `stepscope goodput fleet --by team --week` tells it.
WITH by_job AS (
  SELECT coalesce(team, '-') AS of_team, week AS of_week, ledger, job,
         sum(coalesce(chips, 1) * counted_ns / 3.6e12) AS counted,
         sum(coalesce(chips, 1) * productive_ns / 3.6e12) AS productive,
         sum(coalesce(chips, 1) * lost_ns / 3.6e12) AS lost
  FROM goodput_days /*where*/
  GROUP BY coalesce(team, '-'), week, ledger, job
)
SELECT of_team AS team, of_week AS week, count(*) AS jobs, sum(counted) AS chip_hours,
       sum(productive) / nullif(sum(counted), 0) AS goodput, sum(lost) AS lost_chip_hours
FROM by_job WHERE counted > 0 GROUP BY of_team, of_week ORDER BY of_week, of_team
