/** ASCII letters only: addresses have no others, and the Kelvin sign is no `k` of theirs. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
