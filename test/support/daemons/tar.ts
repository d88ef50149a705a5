export type TarEntry =
  | { readonly path: string; readonly kind: "folder"; readonly mode: number }
  | { readonly path: string; readonly kind: "file"; readonly mode: number; readonly content: Buffer }
  | { readonly path: string; readonly kind: "link"; readonly target: string };

const BLOCK = 512;
const types = { file: "0", link: "2", folder: "5" } as const;

/** A tar archive in the form of POSIX, of root's files; paths of up to 100 bytes. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

function blocksOf(entry: TarEntry): readonly Buffer[] {
  const content = entry.kind === "file" ? entry.content : Buffer.alloc(0);
  return [headerOf(entry, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}

function headerOf(entry: TarEntry, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(entry.path, 0, 100);
  header.write(octal(entry.kind === "link" ? 0o777 : entry.mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  // The checksum is that of a header with blanks in its place.
  header.write(" ".repeat(8), 148);
  header.write(types[entry.kind], 156);
  if (entry.kind === "link") header.write(entry.target, 157, 100);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
