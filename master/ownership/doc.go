// Package ownership decides for whom an accepted peer may speak. Salt lets every
// syndic answer for every minion, and every accepted minion call itself a syndic.
//
// [Claims] know behind which of the nodes right below a minion is, by what those
// report. [Nodes] are the ids that are syndics. A [Judge] puts both together with
// the keys and with who is connected: a minion that is connected here answers for
// itself, one that is connected to a node is that node's, and of one that nobody
// knows a node is believed. What peers try beyond that is counted as a [Trespass].
// [Meant] remembers for whom a job certainly was, and [Beyond] the syndics that a
// Python master below counts among its minions.
//
// Claims and nodes are kept over restarts; everything in memory alone is bounded.
package ownership
