-- Tables carry the names of Salt's SQL returners; payloads are raw msgpack.
-- Times are microseconds since 1970, UTC.

-- One row per job. A return of a job that was never published here (salt-call)
-- makes a row without a load, so that every job can be aged by this table.
CREATE TABLE jids (
    jid  TEXT    PRIMARY KEY,
    at   INTEGER NOT NULL,            -- the job's own time
    last INTEGER NOT NULL,            -- when anything of it was last stored
    user TEXT    NOT NULL DEFAULT '',
    load BLOB
) WITHOUT ROWID;
CREATE INDEX jids_at   ON jids (at, jid);
CREATE INDEX jids_last ON jids (last);

-- One row per (jid, minion). The result is mostly a slice of full_ret; then
-- val_at and val_len say where, and value is NULL.
CREATE TABLE salt_returns (
    jid        TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    fun        TEXT    NOT NULL,
    success    INTEGER NOT NULL,
    retcode    INTEGER NOT NULL,
    out        TEXT    NOT NULL,
    master_id  TEXT    NOT NULL,
    via        TEXT    NOT NULL,
    alter_time INTEGER NOT NULL,
    val_at     INTEGER NOT NULL,
    val_len    INTEGER NOT NULL,
    value      BLOB,
    full_ret   BLOB,
    PRIMARY KEY (jid, id)
) WITHOUT ROWID;
-- Answers "which minions" and "last return of a function per minion" by
-- skipping from minion to minion.
CREATE INDEX salt_returns_id ON salt_returns (id, fun, jid);

-- Who was asked, one row per node that said so.
CREATE TABLE expectations (
    jid  TEXT NOT NULL,
    node TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (jid, node)
) WITHOUT ROWID;

CREATE TABLE salt_events (
    seq        INTEGER PRIMARY KEY,
    key        TEXT UNIQUE,           -- NULL: no identity
    tag        TEXT    NOT NULL,
    data       BLOB    NOT NULL,
    alter_time INTEGER NOT NULL,
    master_id  TEXT    NOT NULL
);
CREATE INDEX salt_events_time ON salt_events (alter_time);

-- What is still owed. A NULL payload refers to the row (jid, id) of its kind.
-- AUTOINCREMENT: a seq is never used twice.
CREATE TABLE outbox (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    dest    TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    jid     TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    payload BLOB,
    error   TEXT
);
CREATE INDEX outbox_dest ON outbox (dest, seq);
CREATE INDEX outbox_jid  ON outbox (jid);
