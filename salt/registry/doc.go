// Package registry holds named functions: "ping" of the module "test" is test.ping. Execution
// modules and states register theirs from the init functions of their files, so that a module
// is one file that nothing else has to name.
package registry
