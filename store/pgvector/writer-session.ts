/**
 * The writer's one connection and the vault's writer lock. The lock is an advisory one and goes with the connection, so
 * a killed indexer never leaves it behind. A connection lost between two runs is made anew; within a run or a
 * transaction it is not: the lock went with it, and somebody else may be writing by now.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { PipelineError } from '../../runner/errors.js';
import type { ExclusiveOptions } from '../types.js';
import { connect, type PgPlace, pgError, rows } from './connection.js';
import { stemmerOf, useLanguage } from './language.js';
import { NoteWriter } from './note-writer.js';

interface Opened {
  readonly client: Client;
  readonly notes: NoteWriter;
  lost: boolean;
}

const RETRY_MS = 200;
/** How long a write outside a run waits for a run to end. */
const LONE_WAIT = '5s';

export class WriterSession {
  private opened: Opened | undefined;
  private held = false;
  private inTransaction = false;

  constructor(
    private readonly place: PgPlace,
    client: Client,
    private readonly hasVectors: boolean,
  ) {
    this.opened = this.watch(client);
  }

  async client(): Promise<Client> {
    return (await this.use()).client;
  }

  async notes(): Promise<NoteWriter> {
    return (await this.use()).notes;
  }

  /** Begins a transaction as the vault's only writer; `end` must follow. */
  async begin(): Promise<Opened> {
    const opened = await this.use();
    this.inTransaction = true;
    if (this.held) {
      await opened.client.query('BEGIN');
      return opened;
    }
    // What is remembered of vector spaces may have been changed by whoever wrote last.
    opened.notes.forget();
    try {
      await opened.client.query(
        `BEGIN; SET LOCAL lock_timeout = '${LONE_WAIT}';
         SELECT pg_advisory_xact_lock(hashtext('${lockName(this.place)}')); SET LOCAL lock_timeout = 0`,
      );
      opened.notes.stemmer = await stemmerOf(opened.client);
    } catch (error) {
      // Left open, the failed transaction would refuse every later write of this session.
      await opened.client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
    return opened;
  }

  /** To be called after COMMIT or ROLLBACK, whether or not they arrived. */
  end(): void {
    this.inTransaction = false;
  }

  /** Runs `work` as the only writer from beginning to end. Throws `index-locked`, naming the holder, after `waitMs`. */
  async exclusively<T>(options: ExclusiveOptions, work: () => Promise<T>): Promise<T> {
    const { command, waitMs = 0, signal, pause = wait } = options;
    const { client, notes } = await this.use();
    const key = lockName(this.place);
    try {
      for (let waited = 0; ; waited += RETRY_MS) {
        signal?.throwIfAborted();
        const [got] = await rows<{ ok: boolean }>(client, 'SELECT pg_try_advisory_lock(hashtext($1)) AS ok', [key]);
        if (got?.ok) break;
        if (waited >= waitMs) throw await this.locked(client);
        await pause(RETRY_MS);
      }
      await rows(client, `SELECT set_config('application_name', $1, false)`, [`sluice: ${command}`]);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw pgError(error, this.place);
    }
    this.held = true;
    notes.forget();
    try {
      const { language } = this.place;
      notes.stemmer = await (language ? useLanguage(client, language) : stemmerOf(client));
      return await work();
    } finally {
      this.held = false;
      // On a lost connection there is nothing left to unlock.
      await rows(client, 'SELECT pg_advisory_unlock(hashtext($1))', [key]).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    await this.opened?.client.end().catch(() => undefined);
  }

  private async use(): Promise<Opened> {
    if (this.opened?.lost === false) return this.opened;
    // On a new connection the rest of a transaction would be written without its beginning.
    if (this.held || this.inTransaction)
      throw pgError(Object.assign(new Error('the connection is closed'), { code: '08006' }), this.place);
    await this.opened?.client.end().catch(() => undefined);
    this.opened = this.watch(await connect(this.place));
    return this.opened;
  }

  private watch(client: Client): Opened {
    const opened: Opened = { client, notes: new NoteWriter(client, this.hasVectors), lost: false };
    const lose = (): void => {
      opened.lost = true;
    };
    client.once('end', lose);
    client.once('error', lose);
    return opened;
  }

  private async locked(client: Client): Promise<PipelineError> {
    const [holder] = await rows<{ pid: number; name: string; host: string | null; since: string }>(
      client,
      `SELECT a.pid, a.application_name AS name, host(a.client_addr) AS host,
         to_char(a.backend_start, 'YYYY-MM-DD HH24:MI') AS since
       FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
       WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND l.objid::bigint = (hashtext($1)::bigint & 4294967295)`,
      [lockName(this.place)],
    );
    const who = holder
      ? `"${holder.name}" (backend ${holder.pid} from ${holder.host ?? 'the server itself'}, connected ${holder.since})`
      : 'another process';
    return new PipelineError('index-locked', `The index at ${this.place.shown} is being written by ${who}.`, {
      remedy: 'Wait until it is done (`--wait`), or stop it.',
      transient: true,
      fatal: true,
    });
  }
}

function lockName({ schema }: PgPlace): string {
  return `sluice-writer:${schema}`;
}
