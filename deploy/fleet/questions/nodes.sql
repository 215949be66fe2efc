-- The nodes on which disruptions began most often, of those whose node is known.
WITH by_job AS (
  SELECT node, ledger, job, count(*) AS of_times, max(happened) AS of_last,
         sum(coalesce(chips, 1) * cost_ns / 3.6e12) AS of_chips
  FROM disruptions WHERE node IS NOT NULL /*and*/
  GROUP BY node, ledger, job
)
SELECT node, sum(of_times) AS times, count(*) AS jobs, max(of_last) AS last_happened, sum(of_chips) AS chip_hours
FROM by_job GROUP BY node ORDER BY sum(of_times) DESC, sum(of_chips) DESC, node LIMIT 20
