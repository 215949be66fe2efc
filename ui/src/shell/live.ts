// Knows whether a server is behind the page: a report.html cannot answer about other steps or ranks.
export const isLive = (): boolean => document.getElementById("stepscope-data") === null;
