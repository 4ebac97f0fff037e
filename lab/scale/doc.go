// Package scale plants trees of real processes at full size, fills them with swarms of
// minions (momlab swarm, processes too), gives them jobs, and holds what came of them
// against what was promised: each return once at the top, by its own store and by the
// minions' account, no connection refused, no job that ends long after its last
// return, and nothing that a sweep had to rescue.
//
// `make scale` runs the shapes of [Shapes] by the command in the folder runs; the
// smallest is an ordinary test.
package scale
