// Package bounds names every bound and timer inside the daemons that is not an option of Salt:
// the number of rows in a batch, the length of a queue, the depth of a value, the interval of a
// sweep.
//
// Each has a default for production and a small range. [Draw] draws values by seed that are so
// small that a tree of seven minions reaches every bound in seconds, like FoundationDB's knobs.
// The simulator, chaos and tests run with drawn bounds. Operators can set one by the option
// bounds, which is for experiments: the options in docs/reference/options.md come first.
// Options that are themselves bounds are drawn, too.
//
// docs/design/bounds.md says what each bound protects and what happens when it is reached; a
// test compares the page with this list. Values are passed in the configuration, never as
// globals, so that many daemons with different bounds can run in one process.
package bounds
