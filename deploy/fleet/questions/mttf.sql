-- Mean time to failure by number of nodes, with 95% limits. A failure is a disruption; the time is
-- that in attempts. Sizes are powers of two: 8 has the jobs of 8 to 15 nodes. Limits are exact
-- (poisson_limits) up to 10,000 failures, then by the approximation of Wilson and Hilferty.
WITH sized AS (
  SELECT power(2, floor(ln(nodes) / ln(2) + 1e-9)) AS size, nodes, disruptions,
         CAST(running_ns AS DOUBLE PRECISION) / 3.6e12 AS hours
  FROM jobs WHERE nodes IS NOT NULL AND running_ns > 0 /*and*/
), sums AS (
  SELECT size, count(*) AS of_jobs, sum(hours) AS of_hours, sum(hours * nodes) AS node_hours,
         CAST(sum(disruptions) AS BIGINT) AS of_failures
  FROM sized GROUP BY size
), limited AS (
  SELECT size, of_jobs, of_hours, node_hours, of_failures,
         CASE WHEN of_failures > 10000
              THEN of_failures * power(1 - 1 / (9e0 * of_failures)
                                       - 1.959963984540054 / (3 * sqrt(of_failures)), 3)
              ELSE low END AS fewest,
         CASE WHEN of_failures > 10000
              THEN (of_failures + 1) * power(1 - 1 / (9e0 * (of_failures + 1))
                                             + 1.959963984540054 / (3 * sqrt(of_failures + 1)), 3)
              ELSE high END AS most
  FROM sums LEFT JOIN poisson_limits ON events = of_failures
)
SELECT size AS from_nodes, of_jobs AS jobs, of_failures AS failures, of_hours AS job_hours,
       of_hours / nullif(of_failures, 0) AS mttf_hours, of_hours / nullif(most, 0) AS mttf_low,
       of_hours / nullif(fewest, 0) AS mttf_high,
       24000 * of_failures / nullif(node_hours, 0) AS failures_per_1000_node_days
FROM limited ORDER BY size
