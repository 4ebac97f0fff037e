// Package siblings is what a node has to do with the siblings of it and of its parent: each
// master above is asked who they are, for the minions of the local master and for the
// node itself ([Asker]), and where the node may go when its one parent is gone is kept
// on disk ([Lodgings]). That it goes there is decided in package syndic.
package siblings
