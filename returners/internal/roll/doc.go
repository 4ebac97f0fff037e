// Package roll keeps who was asked by one node, minion by minion, so that a word about
// one of them costs the same however many there are.
package roll
