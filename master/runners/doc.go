// Package runners holds the functions that `salt-run` calls: questions to a
// master about its jobs, its minions and the tree. They run inside the master,
// so they ask the ledger and the job store and not the minions, wherever the
// answer is known already.
package runners
