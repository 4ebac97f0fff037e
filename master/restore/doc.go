// Package restore takes up the jobs that were open when an earlier life of the master
// ended: their accounts are opened again, with the time that minions and nodes have to
// come back.
package restore
