// Package hostile tests that nobody gets further than an operator allowed. Random users with
// random rules make random calls, each written in a hostile way, through every entrance of a
// tree of three tiers. A model of Salt's rules judges afterwards what ran, and where.
//
//	go test ./test/hostile -run TestHostileUser -args -seeds 20000 -seed 1
//
// A seed is one call; [seedsPerWorld] seeds share a tree and its users. A failure prints the
// seed with the rules, the call, and what ran outside of them. The code that decides is the
// product's: the REST handler, the client, the request server, the publisher and the policy of
// each tier, the forwarder's load, and the binder of our minion. Two programs execute on each
// minion: ours, and a model of Salt's that is held to recorded answers (testdata).
//
//	world_test.go       the tree: who is where, and what is known of whom
//	tier_test.go        one master of it, the product's parts put together
//	seams_test.go       what stands in for disks and networks
//	rules_test.go       users and their rules, as an operator writes them
//	calls_test.go       what a user tries, and how it is disguised
//	targets_test.go     targets, honest and hostile
//	entrances_test.go   where a call comes in
//	execute_test.go     minions that record what they run
//	salt_test.go        Salt's minion: how it binds arguments and reads targets
//	judge_test.go       what a flat Salt master would have allowed
package hostile
