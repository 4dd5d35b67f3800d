-- Gives one vault a schema of its own, which one role fills and another reads. Run as the owner of the database, once a
-- vault; the roles exist already:
--   psql -d knowledge -v schema=team -v indexer=sluice_indexer -v reader=sluice_reader -f roles.sql
CREATE EXTENSION IF NOT EXISTS vector;

-- The indexer owns its tables, because every embedding model gets one; it may create nothing anywhere else.
CREATE SCHEMA IF NOT EXISTS :"schema" AUTHORIZATION :"indexer";

-- Agents read: search, context and the ledger. Nothing they send can change a row.
GRANT USAGE ON SCHEMA :"schema" TO :"reader";
GRANT SELECT ON ALL TABLES IN SCHEMA :"schema" TO :"reader";
ALTER DEFAULT PRIVILEGES FOR ROLE :"indexer" IN SCHEMA :"schema" GRANT SELECT ON TABLES TO :"reader";
