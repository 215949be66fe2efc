-- The jobs that lost most chip-hours, with what took most of them. Those of a job of unknown chips
-- are unknown: NULL; in the order it has one chip.
WITH lost AS (
  SELECT ledger, job, team, bucket, max(chips) AS of_chips, coalesce(max(chips), 1) * sum(ns) / 3.6e12 AS of_bucket
  FROM goodput_buckets WHERE lost = 1 /*and*/
  GROUP BY ledger, job, team, bucket
), placed AS (
  SELECT ledger, job, team, bucket, of_chips,
         sum(of_bucket) OVER (PARTITION BY ledger, job) AS of_job,
         row_number() OVER (PARTITION BY ledger, job ORDER BY of_bucket DESC, bucket) AS place
  FROM lost
)
SELECT job, team, CASE WHEN of_chips IS NOT NULL THEN of_job END AS lost_chip_hours, bucket AS largest_loss
FROM placed WHERE place = 1 ORDER BY of_job DESC, job LIMIT 20
