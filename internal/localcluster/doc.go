// Package localcluster writes a whole tree on one machine: directories, configurations, free
// ports, and keys that are accepted before anything starts. The demo and the tests of the tree
// use it.
package localcluster
