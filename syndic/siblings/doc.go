// Package siblings keeps the siblings of a node and of its parent. An [Asker] requests them from
// each parent, for the minions of the local master and for the node itself. A [Store] keeps on disk
// where the node may move when its only parent is gone. Package syndic decides when it moves.
package siblings
