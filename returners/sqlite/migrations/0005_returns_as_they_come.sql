-- Returns stand in the order in which they came, so that those of one commit fill the
-- same page, and one narrow index says where each is. Ordered by job and minion they were
-- spread over as many pages as a commit has rows, and as many again of the index by
-- minion, which only two rare questions asked (Minions, GetFun): those look through all
-- rows now.
ALTER TABLE salt_returns RENAME TO returns_before;
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
INSERT INTO salt_returns SELECT jid, id, fun, success, retcode, out, master_id, via, alter_time, val_at, val_len, value, full_ret
    FROM returns_before ORDER BY jid, id;
DROP TABLE returns_before;
