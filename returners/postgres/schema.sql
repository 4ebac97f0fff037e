-- What a new database gets. A table that exists is left as it is here and widened by the
-- program. JSON stands for jsonb (returner pgjsonb) or text (returner postgres). A
-- statement after "only" belongs to that returner.

CREATE TABLE mom_schema (
  version integer PRIMARY KEY,
  applied_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE jids (
  jid varchar(255) PRIMARY KEY,
  load JSON NOT NULL
);

-- only pgjsonb
CREATE INDEX idx_jids_jsonb ON jids USING gin (load);

CREATE TABLE salt_returns (
  fun text NOT NULL,
  jid varchar(255) NOT NULL,
  "return" JSON NOT NULL,
  id varchar(255) NOT NULL,
  success varchar(10) NOT NULL,
  full_ret JSON NOT NULL,
  alter_time timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (jid, id)
);

CREATE INDEX idx_salt_returns_id ON salt_returns (id);

CREATE INDEX idx_salt_returns_fun ON salt_returns (fun);

-- only postgres
CREATE INDEX idx_salt_returns_updated ON salt_returns (alter_time);

-- only pgjsonb
CREATE INDEX idx_salt_returns_return ON salt_returns USING gin ("return");

-- only pgjsonb
CREATE INDEX idx_salt_returns_full_ret ON salt_returns USING gin (full_ret);

CREATE TABLE salt_events (
  id bigint NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'),
  tag text NOT NULL,
  data JSON NOT NULL,
  alter_time timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
  master_id varchar(255) NOT NULL,
  mom_key varchar(255)
);

CREATE INDEX idx_salt_events_tag ON salt_events (tag);

-- only pgjsonb
CREATE INDEX idx_salt_events_data ON salt_events USING gin (data);

CREATE TABLE mom_jobs (
  jid varchar(255) PRIMARY KEY,
  stored timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
  held timestamp with time zone
);

CREATE TABLE mom_nodes (
  jid varchar(255) NOT NULL,
  node varchar(500) NOT NULL,
  alter_time timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (jid, node)
);

CREATE TABLE mom_expected (
  jid varchar(255) NOT NULL,
  id varchar(255) NOT NULL,
  node varchar(500) NOT NULL,
  missing text,
  alter_time timestamp with time zone DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (jid, id)
);

CREATE TABLE mom_duplicates (
  fun text NOT NULL,
  jid varchar(255) NOT NULL,
  "return" text NOT NULL,
  id varchar(255) NOT NULL,
  success varchar(10) NOT NULL,
  full_ret text,
  alter_time timestamp with time zone
);

CREATE INDEX mom_duplicates_jid ON mom_duplicates (jid);
