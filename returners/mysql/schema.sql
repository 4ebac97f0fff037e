-- What a new database gets. A table that exists is left as it is here and
-- widened by the program. Keys are compared byte by byte (utf8mb4_bin): two
-- minions may differ in case alone. Payloads keep the collation that searches
-- with LIKE expect.

CREATE TABLE IF NOT EXISTS `mom_schema` (
  `version` int NOT NULL,
  `applied_at` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE IF NOT EXISTS `jids` (
  `jid` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `load` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  PRIMARY KEY (`jid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS `salt_returns` (
  `fun` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `jid` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `return` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `success` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `full_ret` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `alter_time` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (`jid`, `id`),
  KEY `id` (`id`),
  KEY `fun` (`fun`(191))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS `salt_events` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `tag` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `alter_time` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  `master_id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `mom_key` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `mom_key` (`mom_key`),
  KEY `tag` (`tag`(191)),
  KEY `alter_time` (`alter_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS `mom_jobs` (
  `jid` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `stored` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  `held` timestamp NULL DEFAULT NULL,
  PRIMARY KEY (`jid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS `mom_nodes` (
  `jid` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `node` varchar(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `alter_time` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (`jid`, `node`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS `mom_expected` (
  `jid` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `node` varchar(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `missing` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NULL,
  `alter_time` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (`jid`, `id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS `mom_duplicates` (
  `seq` bigint NOT NULL AUTO_INCREMENT,
  `fun` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `jid` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `return` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `id` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `success` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `full_ret` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `alter_time` timestamp NULL DEFAULT NULL,
  PRIMARY KEY (`seq`),
  KEY `jid` (`jid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC;
