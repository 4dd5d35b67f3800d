/** Statements prepared once a connection: preparing the search's SQL takes as long as a tenth of the search. */
import type Database from 'better-sqlite3';
import type { Db } from './database.js';

export class Statements {
  private readonly prepared = new Map<string, Database.Statement<unknown[]>>();

  constructor(private readonly db: Db) {}

  of<Row>(sql: string): Database.Statement<unknown[], Row> {
    let statement = this.prepared.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.prepared.set(sql, statement);
    }
    return statement as Database.Statement<unknown[], Row>;
  }

  /** Before a table is dropped: a statement that reads it would keep it. */
  clear(): void {
    this.prepared.clear();
  }
}
