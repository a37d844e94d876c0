/** Case of ASCII letters, and of no others: no letter of another script may fold into a name of ours (THREAT-29). */

export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
