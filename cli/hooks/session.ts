/** What a session was already given: the same note is not injected twice. Small files in the state folder. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Places remembered for one session. */
const REMEMBERED = 500;

export class HookSession {
  private readonly file: string;
  private readonly seen: Set<string>;

  constructor(stateDir: string, sessionId: string) {
    const folder = join(stateDir, 'hooks', 'sessions');
    mkdirSync(folder, { recursive: true });
    // The id comes from outside: it never becomes part of a path as it is.
    this.file = join(folder, `${createHash('sha256').update(sessionId).digest('hex').slice(0, 16)}.json`);
    this.seen = new Set(existsSync(this.file) ? (JSON.parse(readFileSync(this.file, 'utf8')) as string[]) : []);
  }

  has(place: string): boolean {
    return this.seen.has(place);
  }

  remember(places: readonly string[]): void {
    for (const place of places) this.seen.add(place);
    writeFileSync(this.file, JSON.stringify([...this.seen].slice(-REMEMBERED)));
  }
}
