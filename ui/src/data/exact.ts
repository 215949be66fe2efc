// Parses JSON whose integers may exceed 2^53, such as nanoseconds since the epoch and hashes. Those become text, so the
// page shows the server's digits.

const kMayHold = /(?<![\d.])\d{16}/;
const kTokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function keep(token: string): string {
  const long = token.length >= 16 && /^-?\d+$/.test(token);
  return long && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}

export function parseExact(text: string): unknown {
  return JSON.parse(kMayHold.test(text) ? text.replace(kTokens, keep) : text);
}
