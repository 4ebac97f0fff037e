// Package binders compares three readings of an argument list: that of the access rules
// (package master/access), that of this project's minion (package salt/modules) and that
// of Salt's. What Salt's minion makes of some thousands of lists is recorded in
// testdata/stock.jsonl; with the build tag saltpeer and SALT_PEER a test records it anew
// and compares.
package binders
