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

-- The minions added to a job after its load was stored, in pages of about a hundred:
-- a further publication writes one page, however many minions the job has. part is the
-- newest publication of a page.
CREATE TABLE load_parts (
    jid  TEXT    NOT NULL,
    page INTEGER NOT NULL,
    part INTEGER NOT NULL,
    ids  BLOB    NOT NULL,
    PRIMARY KEY (jid, page)
) WITHOUT ROWID;

-- One row per (jid, minion), in the order of arrival: the returns of one commit fill
-- the same page, and one narrow index finds them. There is no index by minion; the two
-- rare queries that need one (Minions, GetFun) read all rows. The result is mostly a
-- slice of full_ret; val_at and val_len say where, and value is NULL.
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
    UNIQUE (jid, id)
);

-- The expectation of each node. Its minions are in expected_pages.
CREATE TABLE expectations (
    jid   TEXT    NOT NULL,
    node  TEXT    NOT NULL,
    at    INTEGER NOT NULL,
    state TEXT    NOT NULL,
    PRIMARY KEY (jid, node)
) WITHOUT ROWID;

-- The minions of an expectation, in pages of some dozens: a report about one minion
-- reads and writes one page. A page holds the ids from first up to that of the next
-- page; the first page of a node begins with ''.
CREATE TABLE expected_pages (
    jid   TEXT NOT NULL,
    node  TEXT NOT NULL,
    first TEXT NOT NULL,
    data  BLOB NOT NULL,
    PRIMARY KEY (jid, node, first)
) WITHOUT ROWID;

-- Facts about jobs that a restart needs: which are open, whose end a parent has not
-- acknowledged, what was published, who requested them.
CREATE TABLE notes (
    kind  TEXT NOT NULL,
    jid   TEXT NOT NULL,              -- '': of no job
    key   TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, jid, key)
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

-- What is still to be sent. A NULL payload refers to the row (jid, id) of its kind.
-- size is the bytes of the payload, wherever it is stored: the bound of an outbox must
-- be known without reading it. AUTOINCREMENT: a seq is never used twice.
CREATE TABLE outbox (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    dest    TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    jid     TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    size    INTEGER NOT NULL,
    payload BLOB,
    error   TEXT
);
CREATE INDEX outbox_dest ON outbox (dest, seq);
CREATE INDEX outbox_jid  ON outbox (jid);
