/** Bytes that are read where they are needed: a file, or an array in memory. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface ByteSource {
  readonly length: number;
  /** Exactly `[at, at + length)`. @throws {RangeError} past the end. */
  read(at: number, length: number): Uint8Array;
  close(): void;
}

export function bytesInMemory(bytes: Uint8Array): ByteSource {
  return {
    length: bytes.length,
    read(at, length) {
      if (at + length > bytes.length) throw new RangeError('the file ends too early');
      return bytes.subarray(at, at + length);
    },
    close: () => undefined,
  };
}

/** Keeps the file open until `close`. @throws {Error} of the file system. */
export function bytesOfFile(path: string): ByteSource {
  const handle = openSync(path, 'r');
  let open = true;
  return {
    length: fstatSync(handle).size,
    read(at, length) {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const got = readSync(handle, bytes, done, length - done, at + done);
        if (got === 0) throw new RangeError('the file ends too early');
        done += got;
      }
      return bytes;
    },
    close() {
      if (open) closeSync(handle);
      open = false;
    },
  };
}
