// Formats lists of integers for addresses, as the server reads them.

// "0..7,9": ascending numbers, those next to one another as one.
export function numbersText(numbers: readonly number[]): string {
  const parts: string[] = [];
  const all = [...new Set(numbers)].sort((a, b) => a - b);
  for (let i = 0; i < all.length; ++i) {
    const first = i;
    while (all[i + 1] === all[i]! + 1) ++i;
    parts.push(first === i ? `${all[i]}` : `${all[first]}..${all[i]}`);
  }
  return parts.join(",");
}

// What somebody typed, as servers and URLs have it: "0-3" is a range, as on the command line.
export const rangesTyped = (text: string): string => text.replace(/\s+/g, "").replace(/(^|,)(\d+)-(\d+)(?=,|$)/g, "$1$2..$3");
