-- The nodes on which disruptions began most often, of those whose node is known. Chip-hours with a
-- job of unknown chips are unknown: NULL; nodes are put in order as if it had one.
WITH by_job AS (
  SELECT node, ledger, job, count(*) AS of_times, max(happened) AS of_last, max(chips) AS of_chips,
         sum(coalesce(chips, 1) * cost_ns / 3.6e12) AS weighed
  FROM disruptions WHERE node IS NOT NULL /*and*/
  GROUP BY node, ledger, job
)
SELECT node, sum(of_times) AS times, count(*) AS jobs, max(of_last) AS last_happened,
       CASE WHEN count(of_chips) = count(*) THEN sum(weighed) END AS chip_hours
FROM by_job GROUP BY node ORDER BY sum(of_times) DESC, sum(weighed) DESC, node LIMIT 20
