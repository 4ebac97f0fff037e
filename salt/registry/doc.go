// Package registry holds named functions: "ping" of the module "test" is test.ping.
// Execution modules and states register theirs in init functions, so that a module is one
// file and is named nowhere else.
package registry
