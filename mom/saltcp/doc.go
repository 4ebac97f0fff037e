// Package saltcp is the command salt-cp: copy files of this machine to minions. Text goes
// as Salt sends it, in one job (cp.recv); folders, large files and any other bytes go in
// chunks (cp.recv_chunked), one job each.
//
// Minions of Salt's and ours take both. It promises that a minion gets a file whole or says
// so: one that has missed a chunk gets no further ones of that file.
package saltcp
