// Package localcluster plants a whole tree on one machine: folders, configurations,
// free ports, and keys that are accepted before anything starts. The demo and
// the tests of the tree grow on it.
package localcluster
