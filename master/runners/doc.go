// Package runners holds the functions that `salt-run` calls: queries to a master about its jobs,
// its minions and the tree. They run inside the master. Where the ledger and the job store know the
// answer, they ask no minions.
package runners
