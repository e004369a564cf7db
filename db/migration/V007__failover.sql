-- What a failover of the database may have lost. With asynchronous replication, the server that takes over may lack the latest
-- commits, and with them deliveries that were made: complete_from is the moment from which on every delivery is recorded again,
-- null if none was ever lost. A window that reaches back before it cannot be counted, so no bucket has room until it does not.
--
-- timeline is PostgreSQL's name for the server's history: a replica that takes over begins another, a server that is started
-- again goes on with its own.

alter table clock
    add column timeline      text,
    add column complete_from timestamptz;

update clock
set timeline = substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
