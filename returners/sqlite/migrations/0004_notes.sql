-- Small facts about jobs that a restart has to know: which are open, whose end a master
-- above has not heard, what was published, who asked for them.
CREATE TABLE notes (
    kind  TEXT NOT NULL,
    jid   TEXT NOT NULL,              -- '': of no job
    key   TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, jid, key)
) WITHOUT ROWID;
