-- The jobs that lost most chip-hours, with what took most of them.
-- A job of unknown chips counts as one chip.
WITH lost AS (
  SELECT ledger, job, coalesce(team, '-') AS of_team, bucket,
         sum(coalesce(chips, 1) * ns / 3.6e12) AS of_bucket
  FROM goodput_buckets WHERE lost = 1 /*and*/
  GROUP BY ledger, job, coalesce(team, '-'), bucket
), placed AS (
  SELECT ledger, job, of_team, bucket,
         sum(of_bucket) OVER (PARTITION BY ledger, job) AS of_job,
         row_number() OVER (PARTITION BY ledger, job ORDER BY of_bucket DESC, bucket) AS place
  FROM lost
)
SELECT job, of_team AS team, of_job AS lost_chip_hours, bucket AS largest_loss
FROM placed WHERE place = 1 ORDER BY of_job DESC, job LIMIT 20
