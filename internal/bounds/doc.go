// Package bounds names every bound and timer inside the daemons that is no option
// of Salt's: how many rows make a batch, how long a queue is, how deep a value may
// nest, how often a sweep looks.
//
// Each has a default that suits production and a small range. [Draw] redraws them
// by seed, to values so small that a tree of seven minions crosses every one of
// them in seconds, as FoundationDB's knobs do; the simulator, chaos and tests run
// with drawn bounds. Operators can set one by the option bounds, which is for
// experiments: the options of docs/reference/options.md come first. Options that bound something
// by themselves are drawn as well.
//
// docs/design/bounds.md says what each bound protects and what happens when it is reached; a
// test compares the page with this list. Values travel inside the configuration, never
// as globals, so that many daemons with different bounds live in one process.
package bounds
