// Package salt documents what its folder holds: what the content of Python Salt needs (SLS
// files, templates, modules, grains), usable without a master.
//
//	pyfmt, pyre           Python's texts, YAML, and regular expressions
//	jinja, render         templates, with and without Salt's functions
//	states                the compiler and runner of states
//	states/functions      the state functions: file.managed, pkg.installed, …
//	modules               execution modules, and how they are called
//	modules/state         the execution module state, which runs states on a minion; imports all functions
//	registry              named functions, as modules and states register them
//	grains, fileclient    facts of this host, files of salt://
//	external              modules of others, which are programs
//	archives, hostsfile,  files that modules and states edit
//	inifile, text
//
// Nothing in salt imports a daemon. What the modules need of the minion around them they get
// through the interface [github.com/momtree/mom/salt/modules.Env]; a minion calls them through
// [github.com/momtree/mom/salt/modules.Execute].
package salt
