-- Whom a job names that was extended after its load was stored, in pages of about a hundred minions: a
-- further publication writes one page, however many minions the job names. part is the newest
-- publication of a page.
CREATE TABLE load_parts (
    jid  TEXT    NOT NULL,
    page INTEGER NOT NULL,
    part INTEGER NOT NULL,
    ids  BLOB    NOT NULL,
    PRIMARY KEY (jid, page)
) WITHOUT ROWID;
