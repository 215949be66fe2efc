// JSON whose integers may not fit a double (nanoseconds since the epoch, hashes): those become text,
// so that the page shows the digits the server sent.

const kMayHold = /(?<![\d.])\d{16}/;
const kTokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function keep(token: string): string {
  const long = token.length >= 16 && /^-?\d+$/.test(token);
  return long && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}

export function parseExact(text: string): unknown {
  return JSON.parse(kMayHold.test(text) ? text.replace(kTokens, keep) : text);
}
