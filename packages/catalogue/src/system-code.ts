/** The code of an error of Node: `ENOENT`, `Z_DATA_ERROR`. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
